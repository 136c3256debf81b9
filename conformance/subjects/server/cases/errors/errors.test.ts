// Errors: which faults the cases and observers find, and what they leave alone.
import { expect, it } from 'vitest'
import { isChat } from '../../../../../fixtures/faulty/calls.ts'
import { editError } from '../../../../../fixtures/faulty/error-edits.ts'
import { editAnswer, editCall } from '../../../../../fixtures/faulty/edits.ts'
import { readBody, withBody } from '../../../../../fixtures/faulty/exchange.ts'
import { isMalformed } from '../../../../../fixtures/faulty/refusals.ts'
import { failed, judgeFault, notPassed, redRows } from '../scripted/judge-fault.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases, observers } from './errors.ts'

const section = { cases, observers }

testFaults(section, {
  'errors-give-detail': ['errors.envelope-missing-messages', 'ERR-1', 'ERR-8'],
  'errors-have-no-code': ['errors.envelope-bad-json', 'ERR-1'],
  'errors-count-codes': ['errors.envelope-unknown-model', 'ERR-1'],
  'errors-come-with-200': ['errors.envelope-bad-json', 'ERR-1'],
  'derived-error-error-dropped-404': ['errors.envelope-unknown-model', 'ERR-1', 'ERR-5'],
  'derived-error-error-wrong-type-401': ['errors.envelope-no-key', 'ERR-1'],
  'derived-error-error-dropped-400': ['errors.envelope-bad-json', 'ERR-1', 'ERR-8'],
  'derived-error-error-code-null-always': ['errors.envelope-missing-messages', 'ERR-1', 'ERR-5'],
  'derived-error-error-code-wrong-type-404': ['errors.every-envelope', 'ERR-1', 'ERR-5'],
  'errors-type-the-status-text': ['errors.type-bad-json', 'ERR-2'],
  'derived-error-error-type-unknown-401': ['errors.type-wrong-key', 'ERR-2'],
  'errors-type-one-status-in-two-ways': ['errors.every-unlisted-type', 'ERR-2', 'ERR-7'],
  'auth-calls-missing-key-bad-request': ['errors.type-no-key', 'ERR-2'],
  'errors-say-nothing': ['errors.message-bad-json', 'ERR-3'],
  'derived-error-error-message-empty-always': ['errors.message-unknown-model', 'ERR-3'],
  'errors-print-objects': ['errors.message-no-key', 'ERR-3'],
  'errors-repeat-the-key': ['errors.no-key-for-bare-key', 'ERR-4'],
  'errors-repeat-unknown-keys': ['errors.no-key-for-revoked-key', 'ERR-4'],
  'errors-repeat-half-of-the-key': ['errors.no-key-for-quoted-key', 'ERR-4'],
  'errors-show-stack-traces': ['errors.no-inside-for-bad-json', 'ERR-9'],
  'errors-add-stack-traces': ['errors.no-inside-for-wrong-types', 'ERR-9'],
  'errors-show-paths': ['errors.every-error-keeps-inside', 'ERR-9'],
  'errors-answer-unknown-path-in-plain-text': ['errors.unknown-path', 'ERR-1', 'ERR-5'],
  'errors-answer-wrong-method-in-html': ['errors.put-chat', 'ERR-1', 'ERR-5', 'ERR-7'],
  'errors-serve-a-page-for-unknown-paths': ['errors.unknown-path-delete', 'ERR-5'],
  'errors-type-unknown-path-as-bad-request': ['errors.unknown-path-post', 'ERR-2', 'ERR-5'],
  'errors-serve-get-chat': ['errors.get-chat', 'ERR-5'],
  'errors-list-models-by-any-method': ['errors.post-models', 'ERR-5'],
  'chat-answers-missing-field-422': ['errors.every-status', 'ERR-7'],
  'errors-name-no-field': ['errors.field-missing-model', 'ERR-8'],
  'errors-name-another-field': ['errors.field-temperature-out-of-range', 'ERR-8'],
})

testOddities(section, { 'odd-extra-members': /^$/ })

it('warns about a 405, which is outside the table', async () => {
  // Warnings fail here, as under `--strict`.
  const verdicts = await judgeFault('odd-statuses', cases)
  expect(redRows(verdicts)).toEqual(['ERR-7'])
  expect(failed(verdicts)).toContain('errors.status-put-chat')
})

it.each([
  [
    'a stack trace of Python',
    'Traceback (most recent call last):\n  File "app.py", line 3, in f\nValueError',
  ],
  [
    'a stack trace of Java',
    'bad\n\tat com.example.Chat.read(Chat.java:17)\n\tat com.example.Main.main(Main.java:3)',
  ],
  ['a folder of the machine', 'Cannot read /usr/src/app/models.json'],
  ['a source file', 'failed in /app/chat/handler.py'],
  ['a path of Windows', 'failed in C:\\service\\chat.cs'],
])('finds %s in a message', async (_, message) => {
  const verdicts = await judgeFault(() => editError(isMalformed, (error) => ({ ...error, message })), cases, {
    observers,
  })
  expect(redRows(verdicts)).toEqual(['ERR-9'])
  expect(failed(verdicts)).toEqual(
    expect.arrayContaining(['errors.no-inside-for-bad-json', 'errors.every-error-keeps-inside']),
  )
})

it('reads an error that is nested more deeply than the stack', async () => {
  const deep = `,"more":${'['.repeat(15_000)}${']'.repeat(15_000)}}`
  const verdicts = await judgeFault(
    () =>
      editAnswer(isMalformed, async (answer) =>
        withBody(answer, (await readBody(answer.body)).toString().slice(0, -1) + deep),
      ),
    cases,
    { observers },
  )
  expect(notPassed(verdicts)).toEqual([expect.stringMatching(/^errors\.every-unlisted-type: not-applicable/)])
})

it('does not judge which field is named when wrong values are ignored', async () => {
  const valid = (text: string): string => text.replace(/,"(temperature|n|stream)":("\w+"|\d+)/, '')
  const verdicts = await judgeFault(
    () =>
      editCall((call) =>
        isChat(call) ? { ...call, body: Buffer.from(valid(Buffer.from(call.body).toString())) } : call,
      ),
    cases,
    { observers },
  )
  const ofFields = verdicts.filter(({ id, outcome }) => id.startsWith('errors.field') && outcome !== 'pass')
  expect(ofFields).toMatchObject(
    ['stream-of-wrong-type', 'temperature-out-of-range', 'n-out-of-range'].map((slug) => ({
      id: `errors.field-${slug}`,
      outcome: 'not-applicable',
    })),
  )
})
