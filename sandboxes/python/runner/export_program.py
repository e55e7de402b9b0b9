"""Exports one submitted model: argv is `export FILE ARCHIVE SEQUENCE_LENGTH BATCH_ROWS [WEIGHTS]`.

What it prints goes to the channel, and so does what went wrong: exit code 1 then.
"""

import sys

from runner import model_export, script_program, submission


def run(argv: list[str]) -> None:
    """Ends the process."""
    _, file, archive, sequence_length, batch_rows, *weights = argv
    script_program.speak_on_channel()
    try:
        model_export.export_file(
            file,
            archive,
            sequence_length=int(sequence_length),
            batch_rows=int(batch_rows),
            weights=weights[0] if weights else None,
        )
    except SystemExit as end:
        script_program.end(end.code)
    except BaseException as error:  # whatever a submission raises is its failure
        print(submission.explanation(error), file=sys.stderr, flush=True)
        script_program.end(1)
    script_program.end(None)
