// Streams: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { bodyOfCall, isChat, promptOf, withKey } from '../../../../../fixtures/faulty/calls.ts'
import { editPrompt } from '../../../../../fixtures/faulty/edits.ts'
import { failed, judgeFault, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { STREAM_PROMPT } from './answers.ts'
import { cases, observers } from './streaming.ts'

const section = { cases, observers }

testFaults(section, {
  'stream-sends-json-lines': ['stream.json-records', 'STREAM-1', 'STREAM-2'],
  'stream-refuses-every-stream': ['stream.status-and-type', 'STREAM-1'],
  'stream-is-ignored': ['stream.status-and-type', 'STREAM-1'],
  'stream-is-called-json': ['stream.status-and-type', 'STREAM-1'],
  'stream-ends-records-with-one-newline': ['stream.json-records', 'STREAM-1'],
  'stream-leaves-last-record-open': ['stream.last-record-ended', 'STREAM-1'],
  'stream-sends-a-word': ['stream.json-records', 'STREAM-1'],
  'stream-is-in-latin-1': ['stream.whole-characters', 'STREAM-6'],
  'stream-is-never-done': ['stream.done-once', 'STREAM-2'],
  'stream-is-done-twice': ['stream.done-once', 'STREAM-2'],
  'stream-goes-on-when-done': ['stream.nothing-after-done', 'STREAM-2'],
  'stream-sends-fields-when-done': ['stream.nothing-after-done', 'STREAM-2'],
  'stream-is-done-in-lower-case': ['stream.done-once', 'STREAM-1', 'STREAM-2'],
  'stream-breaks-off': ['stream.done-once', 'STREAM-2'],
  'stream-names-another-object': ['stream.chunk-object', 'STREAM-3'],
  'stream-changes-ids': ['stream.same-id', 'STREAM-3'],
  'stream-changes-created': ['stream.same-created', 'STREAM-3'],
  'derived-chunk-model-dropped-later-chunk': ['stream.same-model', 'STREAM-3'],
  'stream-ends-with-another-model': ['stream.same-model', 'STREAM-3'],
  'stream-gives-usage-another-id': ['stream.same-head-with-usage', 'STREAM-3'],
  'stream-has-no-role': ['stream.role-first', 'STREAM-4'],
  'stream-repeats-the-role': ['stream.role-once', 'STREAM-4'],
  'stream-repeats-later-roles': ['stream.role-once-of-two', 'STREAM-4'],
  'derived-chunk-choices-delta-role-unknown-always': ['stream.role-first', 'STREAM-4'],
  'derived-chunk-choices-delta-role-dropped-second': ['stream.role-first-of-two', 'STREAM-4'],
  'stream-never-finishes': ['stream.finish-once', 'STREAM-5', 'STREAM-6', 'STREAM-8'],
  'stream-finishes-twice': ['stream.finish-once', 'STREAM-5'],
  'stream-finishes-at-once': ['stream.finish-once', 'STREAM-5', 'STREAM-6'],
  'derived-chunk-choices-finish-reason-empty-always': ['stream.finish-reason-known', 'STREAM-5', 'STREAM-6'],
  'derived-chunk-choices-finish-reason-unknown-always': [
    'stream.finish-reason-known',
    'STREAM-5',
    'STREAM-6',
  ],
  'stream-finishes-before-its-text': ['stream.nothing-after-finish', 'STREAM-5'],
  'stream-goes-on-when-finished': ['stream.nothing-after-finish', 'STREAM-5'],
  'stream-loses-the-last-text': ['stream.same-text', 'STREAM-6'],
  'stream-trims-deltas': ['stream.same-echo', 'STREAM-6'],
  'stream-loses-the-second-choice': ['stream.every-choice-text', 'STREAM-8'],
  'derived-request-stop-ignored-streamed': ['stream.same-stopped-echo', 'STREAM-6'],
  'stream-sends-the-start-of-stops': ['stream.same-stopped', 'STREAM-6'],
  'stream-hides-cuts': ['stream.same-cut-by-max-tokens', 'STREAM-6'],
  'stream-counts-differently': ['stream.same-usage', 'STREAM-6'],
  'stream-adds-refusals': ['stream.same-refusal', 'STREAM-6'],
  'stream-splits-characters': ['stream.whole-characters', 'STREAM-6'],
  'stream-garbles-characters': ['stream.whole-characters', 'STREAM-6'],
  'stream-fails-every-time': ['stream.same-text', 'STREAM-6'],
  'stream-sends-usage-with-the-finish': ['stream.usage-chunk-last', 'STREAM-7'],
  'stream-begins-with-usage': ['stream.usage-chunk-last', 'STREAM-7'],
  'stream-counts-in-every-chunk': ['stream.no-usage-elsewhere', 'STREAM-7'],
  'stream-ignores-its-options': ['stream.usage-chunk-last', 'STREAM-7'],
  'stream-sends-usage-unasked': ['stream.no-usage-chunk', 'STREAM-7'],
  'stream-numbers-no-choices': ['stream.every-choice-complete', 'STREAM-8'],
  'derived-chunk-choices-finish-reason-dropped-second': [
    'stream.every-choice-complete',
    'STREAM-5',
    'STREAM-8',
  ],
  'stream-crashes-on-two-choices': ['stream.every-choice-complete', 'STREAM-8'],
  'stream-carries-null-errors': ['stream.no-error-member', 'STREAM-9'],
  'stream-sends-empty-events': ['stream.no-empty-events', 'STREAM-9'],
  'stream-sends-empty-data': ['stream.no-empty-events', 'STREAM-9'],
  'stream-sends-errors-in-band': ['stream.error-404', 'STREAM-10'],
  'stream-gives-refusals-its-type': ['stream.error-400', 'STREAM-10'],
  'stream-waits-for-the-end': ['stream.as-produced', 'STREAM-11'],
  'stream-drips-at-the-end': ['stream.as-produced', 'STREAM-11'],
  'stream-waits-for-the-end-with-gzip': ['stream.as-produced-with-gzip', 'STREAM-11'],
  'stream-works-for-nobody': ['stream.abandoned', 'STREAM-12'],
  'stream-is-done-after-its-error': ['stream.error-without-done', 'ERR-6', 'STREAM-6'],
  'stream-goes-on-after-its-error': ['stream.error-record', 'ERR-6', 'STREAM-6'],
  'stream-names-its-error-in-the-event': ['stream.error-record', 'ERR-6', 'STREAM-6'],
  'stream-sends-errors-without-code': ['stream.error-record', 'ERR-6', 'STREAM-6'],
})

testOddities(section, {
  'odd-slow-model': /^stream\.abandoned$/,
  // Its stream is an error from its first record.
  'odd-short-streams': /^stream\.error-/,
  'odd-bare-answers': /^stream\.same-usage$/,
})

it.each([
  ['stream.as-produced', 'odd-proxy', 'not-applicable', 'the model answers at once'],
  ['stream.abandoned', 'odd-proxy', 'not-applicable', 'the model answers at once'],
  ['stream.abandoned', 'odd-slow-model', 'inconclusive', 'do not hold another request up'],
] as const)('%s at %s is %s', async (check, id, outcome, reason) => {
  const verdicts = await judgeFault(
    id,
    cases.filter((one) => one.id === check),
  )
  expect(verdicts).toMatchObject([{ outcome, reason: expect.stringContaining(reason) }])
})

it('judges the rest of a stream whose plain answer lacks the index of its choices', async () => {
  const id = 'derived-completion-choices-index-dropped-always'
  expect(failed(await judgeFault(id, cases, section))).toEqual([])
})

it('accepts one error record as the end of a stream that fails', async () => {
  const verdicts = await judgeFault('stream-fails-every-time', cases, { ...section, runs: 3 })
  expect(outcomeOf(verdicts, 'stream.error-record')).toBe('pass')
})

it('accepts a service without keys in profile wire', async () => {
  const open: Start =
    ({ key }) =>
    (call, forward) =>
      forward(withKey(call, key))
  const verdicts = await judgeFault(open, cases, { ...section, profile: 'wire', runs: 3 })
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'stream.error-401-wrong-key')).toBe('not-applicable')
})

it('does not compare texts for a prompt to which the model answers differently each time', async () => {
  const vary: Start = () => {
    let answers = 0
    const varied = editPrompt((text) => (text === STREAM_PROMPT ? `${text} ${answers++}` : text))
    return (call, forward) =>
      isChat(call) && promptOf(bodyOfCall(call)) === STREAM_PROMPT && bodyOfCall(call)?.['n'] === undefined
        ? varied(call, forward)
        : forward(call)
  }
  const verdicts = await judgeFault(vary, cases, { ...section, runs: 3 })
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'stream.same-text')).toBe('not-applicable')
})
