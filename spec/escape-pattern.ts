// Text as a part of a regular expression, with or without the flags `u` and `v`. Node 22, on which the package runs, has no
// `RegExp.escape`.

/** Escapes each ASCII character that is not a letter, a digit or `_`. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[^\w\u0080-\uffff]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}
