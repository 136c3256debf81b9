// The contents of the tasks of programs: words that no answer contains by chance, and tools.
import { hash } from 'node:crypto'

const WORDS =
  'amber birch cobalt delta ember fjord garnet heron indigo juniper krill lagoon maple nickel onyx plover'.split(
    ' ',
  )

/** Returns three words and a number for a seed and a scenario. */
export function wordsOf(seed: number, name: string): string {
  const digest = hash('sha256', `${seed} ${name}`, 'buffer')
  const words = [...digest.subarray(0, 3)].map((byte) => WORDS[byte % WORDS.length])
  return `${words.join(' ')} ${digest.readUInt16BE(3)}`
}

/** The tools of a request with tools. */
export const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city'],
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'get_time',
      description: 'The time in a zone.',
      parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    },
  },
  {
    type: 'function',
    function: {
      name: 'list_cities',
      description: 'The cities whose weather is known.',
      parameters: { type: 'object', properties: {} },
    },
  },
] as const
