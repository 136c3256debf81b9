// Errors: which faults the cases and observers find, and what they leave alone.
import { expect, it } from 'vitest'
import { isChat } from '../../../../../fixtures/faulty/calls.ts'
import { editError } from '../../../../../fixtures/faulty/error-edits.ts'
import { editAnswer, editCall } from '../../../../../fixtures/faulty/edits.ts'
import { readBody, withBody } from '../../../../../fixtures/faulty/call-and-answer.ts'
import { isMalformed } from '../../../../../fixtures/faulty/kinds-of-answers.ts'
import { failed, judgeFault, notPassed, redRows } from '../scripted/judge-fault.fixture.ts'
import { cases, observers } from './errors.ts'

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
