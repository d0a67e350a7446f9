"""`manage.py person tell|erase NAME`: one account's data as JSON, or the account taken out."""

from annotations.management.command import PlainCommand, as_json
from annotations.studies import personal_data


class Command(PlainCommand):
    help = "Tell all that is kept about an account, or erase who it was; the answers stay."

    def arguments(self, add) -> None:
        add("verb", choices=["tell", "erase"])
        add("name", "the account's name")

    def handle(self, *, verb, name, **options) -> str:
        user = personal_data.account(name)
        if verb == "tell":
            return as_json(personal_data.everything_kept(user), indent=2)
        kept = personal_data.erase(user)
        stay = f" Their answers stay under {', '.join(kept)}." if kept else ""
        return f"“{name}” is erased.{stay}"
