// Fitting text into a terminal.

/** A text of at most `room` characters, with an ellipsis if it was longer. */
export function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room - 1).trimEnd()}…`
}

/** Breaks a text at spaces into lines of at most `width` characters, where its words allow. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Control characters as escapes: what a server sends must not drive the terminal of who reads about it. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => {
    const known = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[control]
    return known ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
