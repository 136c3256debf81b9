// A missing or repeated request id is seen, on whatever answer it is (WIRE-21).
import { type Case, type CaseContext, check } from '../../case.ts'
import { PROMPT, messagesOf, plainAnswer, post } from '../requests/chat.ts'
import { testChecks, testOddities, testThatAllAreNamed } from '../scripted/test-faults.fixture.ts'
import { headerCases, headerObservers as observers } from './completion.ts'

/** A completion, a stream and two errors, of which nothing is asserted. */
const traffic: Case = check('test.traffic', 'WIRE-21', 'traffic').run(async (t: CaseContext) => {
  const body = { model: t.target.model, messages: messagesOf(PROMPT) }
  await plainAnswer(t)
  await post(t, { ...body, stream: true })
  for (const model of ['none', 'nothing']) await post(t, { ...body, model })
  t.assert(true, { expected: '', actual: '' })
})

const section = { cases: [...headerCases, traffic], observers }
const missing = 'wire.request-id-on-every-answer'
const repeated = 'wire.every-request-id'

const expected = {
  'derived-header-x-request-id-dropped-always': ['wire.request-id-differs', missing],
  'derived-header-x-request-id-dropped-404': [missing],
  'derived-header-x-request-id-dropped-streamed': [missing],
  'derived-header-x-request-id-empty-always': ['wire.request-id-differs', missing],
  'wire-gives-no-request-id': [missing],
  'wire-repeats-request-ids': ['wire.request-id-differs', repeated],
  'derived-header-x-request-id-same-404': [repeated],
}

testChecks(section, expected)
testThatAllAreNamed(section, expected)
testOddities(section)
