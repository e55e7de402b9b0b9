//= why = "the messages are cut"
macro_rules! flood {
    ($($name:ident)*) => { $(let _: u8 = stringify!($name); let _: u8 = "x"; let _: u8 = "y"; let _: u8 = "z";)* };
}

fn main() {
    flood!(a b c d e f g h i j k l m n o p q r s t u v w x y z);
    flood!(a b c d e f g h i j k l m n o p q r s t u v w x y z);
    flood!(a b c d e f g h i j k l m n o p q r s t u v w x y z);
}
