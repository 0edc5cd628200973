"""The phones' small shell: a parser, an interpreter, and a table of commands, one file per family."""
