// HTML from templates: whatever is put into one is escaped, unless it is markup itself. hono/html would let through the
// control characters of an answer, which a report has to show.

/** HTML that is ready to be shown. Only `markup` and `trusted` make it. */
export class Markup {
  readonly html: string

  constructor(html: string) {
    this.html = html
  }
}

type Value = string | number | Markup | undefined | false | readonly Value[]

/** A template of HTML. Lists are joined; what is undefined or false leaves nothing. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, at) => part + render(values[at])).join(''))
}

/** HTML that is known to be right, as a stylesheet of our own. */
export function trusted(html: string): Markup {
  return new Markup(html)
}

function render(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Markup) return value.html
  if (typeof value === 'object') return value.map(render).join('')
  return escape(String(value))
}

/** Text for elements and quoted attributes. A control character shows as its picture: an escape would be none. */
function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/\r(?!\n)|[^\P{Cc}\n\r\t]/gu, picture)
    .replaceAll('\r\n', '\u240d\n')
}

/** The picture that Unicode has of a control character; of the others, the sign for what is not shown. */
function picture(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}

/** Text of the catalogue, with its code marks as code. */
export function prose(text: string): Markup {
  return new Markup(escape(text).replace(/`([^`]+)`/g, '<code>$1</code>'))
}
