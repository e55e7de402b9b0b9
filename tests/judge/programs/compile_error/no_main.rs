//= why = "nothing to link"
#![no_main]
