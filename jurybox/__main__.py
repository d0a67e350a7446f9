"""`python -m jurybox COMMAND …` is `jurybox COMMAND …`."""

from jurybox.command import main

if __name__ == "__main__":
    main()
