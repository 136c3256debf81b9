// Reads the few things that programs look for in a page of the dashboard. Not an HTML parser: it knows how the
// pages are written, where every quote and angle bracket of a value is escaped.

/** The text of the element with this id. */
export function elementText(page: string, id: string): string | undefined {
  const [, text] = new RegExp(`<[a-z]+[^>]* id="${id}"[^>]*>([^<]*)<`).exec(page) ?? []
  return text === undefined ? undefined : unescaped(text.trim())
}

/** The texts of all elements with this attribute. */
export function attributeTexts(page: string, attribute: string): string[] {
  const elements = page.matchAll(new RegExp(`<[a-z]+[^>]* ${attribute}(?: [^>]*)?>([^<]*)<`, 'g'))
  return Array.from(elements, ([, text = '']) => unescaped(text.replace(/\s+/g, ' ').trim()))
}

/** The hidden fields of the forms on the page; where two forms have one of the same name, the last. */
export function hiddenFields(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries(
    Array.from(inputs, ([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}
