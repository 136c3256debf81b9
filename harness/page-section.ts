// Generated parts of pages, which stand between two marks.

/** The marks around a generated part. */
export type Marks = Readonly<Record<'begin' | 'end', string>>

/** The page with these lines between its marks. Throws if it has no such marks. */
export function withSection(page: string, { begin, end }: Marks, lines: readonly string[]): string {
  const [before, rest] = page.split(begin)
  const [, after] = rest?.split(end) ?? []
  if (before === undefined || after === undefined) throw new Error(`the page has no ${begin} and ${end}`)
  return [before + begin, ...lines, end + after].join('\n')
}
