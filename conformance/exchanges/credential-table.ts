// The table of names and forms of credentials in docs/recordings.md, from the table that the code uses.
import {
  ADDRESS_NAMES,
  HARMLESS_HEADER_WORDS,
  HEADER_WORDS,
  KEY_FORMS,
  NAMES,
  SHORT_NAMES,
} from '../../spec/protocol/credential-places.ts'
import { withSection } from '../../harness/page-section.ts'

const MARKS = {
  begin: '<!-- credentials: `npm run docs` writes this table -->',
  end: '<!-- end of credentials -->',
}

const listed = (names: string): string =>
  names
    .split(', ')
    .map((name) => `\`${name}\``)
    .join(', ')

/** The page with the table between its marks. */
export function withCredentialTable(page: string): string {
  const forms = KEY_FORMS.map(([what, start]) => `${what}: \`${start.replaceAll('|', ' ')}\``)
  return withSection(page, MARKS, [
    '| place | the value is hidden if |',
    '|---|---|',
    `| header | its name has one of ${listed(HEADER_WORDS)}, and none of ${listed(HARMLESS_HEADER_WORDS)} |`,
    '| `Cookie`, `Set-Cookie` | always, without the names |',
    `| member of JSON at any depth, pair of a list, variable, line of a header in a text | its name is one of ${listed(NAMES)} |`,
    `| parameter of an address, field of a form, part of a multipart body | its name is one of these, or of ${listed(SHORT_NAMES)}; in JSON these names count if the value looks random |`,
    `| parameter of an address, field of a form, part of a multipart body, but no member of JSON | its name is one of ${listed(ADDRESS_NAMES)} |`,
    '| user information of an address | always the password; the user if it looks random |',
    `| anywhere | it has the form of a key: ${forms.join('; ')} |`,
  ])
}
