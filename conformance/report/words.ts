// The words that every report shares: the sections of the catalogue and their names.

/** The sections of the catalogue, in reading order, by the prefix of their ids. */
export const SECTIONS = [
  { prefix: 'AUTH', name: 'Authentication' },
  { prefix: 'KEY', name: 'Keys' },
  { prefix: 'MODEL', name: 'Models' },
  { prefix: 'CHAT', name: 'Chat' },
  { prefix: 'ERR', name: 'Errors' },
  { prefix: 'LIMIT', name: 'Limits' },
  { prefix: 'RETRY', name: 'Retries' },
  { prefix: 'VERS', name: 'Versioning' },
  { prefix: 'WIRE', name: 'Wire format' },
  { prefix: 'STREAM', name: 'Streaming' },
  { prefix: 'TOOL', name: 'Tool calls' },
  { prefix: 'SDK', name: 'Client libraries' },
] as const

/** The name of the section that a requirement belongs to. */
export function sectionOf(id: string): string {
  const [prefix] = id.split('-')
  return SECTIONS.find((section) => section.prefix === prefix)?.name ?? 'Other'
}

/** `1 check`, `2 checks`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}
