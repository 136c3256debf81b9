// The normal form of the texts of a failure: their wording, without the values of one request.

/** A quoted text; if it was cut, it has no quote at its end. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|$)|(?<!\w)'[^']*'(?!\w)/g

/** A quoted name of the format, such as an error code or a finish reason, which shows the difference. */
const NAME = /^["'][a-z]+(?:_[a-z]+)*["']$/

/** A word of letters and digits, such as the id of an answer or of a request; not that of a requirement. */
const RANDOM_WORD = /(?<![\w-])(?![A-Z]+-\d+\b)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{6,}/g

/** A number that is not the status of an answer. */
const NUMBER = /(?<!\b(?:status|refused, but with) (?:\d{3}(?:,| or) )*)(?<![\w.-])-?\d+(?:[.,]\d+)*/g

/** A text without its ids and numbers, except statuses. */
export function withoutNumbers(text: string): string {
  return text.replace(RANDOM_WORD, '…').replace(NUMBER, '…')
}

/** The length of the compared part of a text, in characters, because a hostile text must not keep the judge busy. */
const COMPARED_CHARS = 500

/**
 * The normal form of an expected value: without ids, numbers (statuses stay), quoted texts and JSON objects. For example
 * `id "chatcmpl-1a2b3c"` and `error.code "one" or "other"` become `id …` and `error.code …`.
 */
export function normalForm(text: string): string {
  return formOf(text, () => false).replace(/…(?:(?:,| or) …)+/g, '…')
}

/** The normal form of a received value, in which quoted names of the format stay: another error code is another difference. */
export function receivedForm(text: string): string {
  return formOf(text, (quoted) => NAME.test(quoted))
}

/** A remark at the end of an expected value: the setting of the request with which the check found the difference. */
const ALONE = / with `[^`]*` \([^()]*\) alone$/

function formOf(text: string, stays: (quoted: string) => boolean): string {
  const unquoted = text
    .slice(0, COMPARED_CHARS)
    .replace(ALONE, '')
    .replace(/… \(\d+ characters\)$/, '')
    .replace(QUOTED, (quoted, place: number, whole: string) =>
      // A text after a colon is the text of one answer.
      stays(quoted) && !whole.slice(0, place).endsWith(': ') ? quoted : '…',
    )
  return withoutNumbers(unquoted).replace(/\{.*(?:\}|$)/s, '{…}')
}
