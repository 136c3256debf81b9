// Functions on parsed JSON values: showing, measuring, parsing, and access by a path.

/** The longest value that a mismatch shows, in characters. */
const SHOWN_CHARS = 300

/** A value as a report shows it: JSON, cut if it is long; `nothing` for undefined. */
export function show(value: unknown): string {
  const shown = value === undefined ? 'nothing' : stringify(value)
  return shown.length <= SHOWN_CHARS ? shown : `${shown.slice(0, SHOWN_CHARS)}… (${shown.length} characters)`
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // An answer can be nested deeper than the stack of this process.
    return 'a value nested too deeply to be shown'
  }
}

/** The beginning of every JSON text (RFC 8259, 2 and 3). */
const JSON_BEGINNING = /^[ \t\n\r]*["[{tfn\d-]/

/**
 * The deepest nesting that is read, in levels: RFC 8259, 9 allows a limit, and code that walks deeper values would
 * exhaust the stack of this process.
 */
const MOST_LEVELS = 20_000

const [QUOTE, BACKSLASH, COMMA, LIST, LIST_END, OBJECT, OBJECT_END] = Array.from('"\\,[]{}', (mark) =>
  mark.charCodeAt(0),
)

/** Counts the levels and the values of a JSON text, and stops beyond these bounds. */
export function costOf(text: string, mostDepth: number, mostValues = Infinity) {
  let [depth, deepest, values] = [0, 0, 0]
  let isInString = false
  for (let at = 0; at < text.length && deepest <= mostDepth && values <= mostValues; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) isInString = false
    } else if (code === QUOTE) isInString = true
    else if (code === COMMA) values += 1
    else if (code === LIST || code === OBJECT) {
      depth += 1
      values += 1
      if (depth > deepest) deepest = depth
    } else if (code === LIST_END || code === OBJECT_END) depth -= 1
  }
  return { deepest, values }
}

/** Whether a JSON text is nested more deeply than is read. */
const isTooDeep = (text: string): boolean =>
  text.length > MOST_LEVELS && costOf(text, MOST_LEVELS).deepest > MOST_LEVELS

/** Parses a JSON text; undefined if it is not JSON, or is nested too deeply. */
export function parseJson(text: string): unknown {
  // A thrown error costs more than parsing an answer, so event streams and empty texts never reach the parser.
  if (!JSON_BEGINNING.test(text) || isTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member at a path, for example `at(body, 'choices', 0, 'message')`; undefined if it does not exist. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value
  for (const step of path) {
    if (Array.isArray(here) && typeof step === 'number') here = here[step]
    else if (isRecord(here) && Object.hasOwn(here, step)) here = here[step]
    else return undefined
  }
  return here
}

/** The list at a path; empty if there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const list = at(value, ...path)
  return Array.isArray(list) ? list : []
}
