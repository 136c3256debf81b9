// Models that do not echo: their own answers show the same faults.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Handler } from '../../../../../fixtures/faulty/behaviour.ts'
import { chain, editRequest } from '../../../../../fixtures/faulty/edits.ts'
import { faults } from '../../../../../fixtures/faulty/fault-table.ts'
import { faultOf, judgeFault, notPassed } from '../scripted/judge-fault.fixture.ts'
import { textCases } from '../chat/chat-text.ts'
import { stopCases } from '../wire/stop-strings.ts'

const ANSWER = '1. a .* green \u{1F98A}\n2. a red fox'

/** It always gives the same answer, which `stop` ends. */
const saysTheSame: Handler = editRequest((body) => ({
  ...body,
  messages: [{ role: 'user', content: ANSWER }],
}))

/** It answers each prompt in its own way. */
const hashes: Handler = editRequest((body) => {
  const said = createHash('sha256').update(JSON.stringify(body['messages'])).digest('hex').slice(0, 8)
  return { ...body, messages: [{ role: 'user', content: said }] }
})

/** The faults of a row, but those that only fields together show. */
const faultsOf = (row: string): readonly string[] =>
  faults
    .filter(({ id, requirement }) => requirement === row && !id.startsWith('together-'))
    .map(({ id }) => id)

describe('stop (WIRE-8)', () => {
  const [cases, options] = [stopCases, { runs: 4 }]

  it('is judged in full', async () => {
    expect(notPassed(await judgeFault(() => saysTheSame, cases, options))).toEqual([])
  })

  it.each(faultsOf('WIRE-8'))('turns red: %s', async (id) => {
    const verdicts = await judgeFault((tools) => chain(saysTheSame, faultOf(id).start(tools)), cases, options)
    expect(verdicts.map(({ outcome }) => outcome)).toContain('fail')
  })
})

describe('text (CHAT-8)', () => {
  it('is distinguished from its form after a fault', async () => {
    const skipped = notPassed(await judgeFault(() => hashes, textCases))
    expect(skipped).toEqual([expect.stringMatching(/^chat\.echo-64-kib: not-applicable/)])
  })

  // Only a longer text shows the first; the second makes two texts of two; the third reads results of calls alone; the last one
  // changes a text only if a packet ends within a character (split-characters.ts).
  const hidden = new Set([
    'chat-cuts-long-text',
    'chat-escapes-html',
    'chat-loses-emoji-of-results',
    'chat-decodes-each-packet',
  ])
  const shown = faultsOf('CHAT-8').filter((id) => !hidden.has(id))
  it.each(shown)('is not passed in all: %s', async (id) => {
    const verdicts = await judgeFault((tools) => chain(faultOf(id).start(tools), hashes), textCases)
    expect(notPassed(verdicts).length).toBeGreaterThan(1)
  })
})
