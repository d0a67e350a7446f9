"""Templates are compiled for each language: the words that stand in them are translated then, not on every view."""

from __future__ import annotations

from django.template import Context, Library, Node, Origin
from django.template.base import Parser, TextNode, Token, TokenType, Variable
from django.template.loaders.cached import Loader
from django.templatetags import i18n
from django.utils.translation import get_language, gettext

register = Library()


class LoadByLanguage(Loader):
    def cache_key(self, template_name: str, skip: list[Origin] | None = None) -> str:
        return f"{get_language()} {super().cache_key(template_name, skip)}"


@register.tag
def translate(parser: Parser, token: Token) -> Node:
    node = i18n.do_translate(parser, token)
    wanted = node.filter_expression
    is_plain = isinstance(wanted.var, Variable) and wanted.var.literal is not None
    if not is_plain or wanted.filters or node.asvar or node.message_context:
        return node
    return TextNode(node.render(Context()))


@register.tag
def blocktranslate(parser: Parser, token: Token) -> Node:
    node = i18n.do_block_translate(parser, token)
    is_plain = all(part.token_type == TokenType.TEXT for part in node.singular)
    if not is_plain or node.plural or node.extra_context or node.asvar or node.message_context:
        return node
    text, _ = node.render_token_list(node.singular)
    # In a catalogue a percent sign is written twice.
    return TextNode(gettext(text) % ())
