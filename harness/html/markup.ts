// `html` of hono for pages about the answers of other services: it also shows their control characters, which HTML cannot
// escape.
import { html, raw } from 'hono/html'
import { withoutHidden } from '../cli/text.ts'

/** HTML that needs no escaping. */
export type Markup = ReturnType<typeof raw>

type Value = string | number | Markup | undefined | false | readonly Value[]

/** HTML that is known to be safe, for example a stylesheet of our own. */
export const trusted: (text: string) => Markup = raw

/** A template of HTML. Every value but markup is escaped, lists are joined, and undefined and false leave nothing. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return raw(html(parts, ...values.map(printable)))
}

/** Text of the catalogue, with its backticks as code. */
export function prose(text: string): Markup {
  return markup`${text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 0 ? part : markup`<code>${part}</code>`))}`
}

function printable(value: Value): unknown {
  if (Array.isArray(value)) return value.map(printable)
  return typeof value === 'string' ? withPictures(value) : value
}

function withPictures(text: string): string {
  return withoutHidden(text)
    .replace(/\r(?!\n)|[^\P{Cc}\n\r\t]/gu, picture)
    .replaceAll('\r\n', '\u240d\n')
}

/** Unicode's picture of a control character, or the replacement character if it has none. */
function picture(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}
