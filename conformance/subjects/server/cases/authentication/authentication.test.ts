// The key of a request: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { header } from '../../../../../fixtures/faulty/exchange.ts'
import { sendError } from '../../../../../fixtures/faulty/error-edits.ts'
import { refuse } from '../../../../../fixtures/faulty/edits.ts'
import { isApi, isModelRecord, wantsStream, withKey } from '../../../../../fixtures/faulty/calls.ts'
import { Inconclusive } from '../../../../contract/outcome.ts'
import { judgeFault, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases } from './authentication.ts'

const section = { cases }

testFaults(section, {
  'auth-lists-models-to-anybody': ['auth.models-without-a-key', 'AUTH-1', 'AUTH-3'],
  'auth-chats-with-anybody': ['auth.chat-without-a-key', 'AUTH-1', 'AUTH-3'],
  'auth-streams-to-anybody': ['auth.stream-without-a-key', 'AUTH-1'],
  'auth-shows-model-to-anybody': ['auth.record-without-a-key', 'AUTH-1'],
  'auth-completes-in-the-refusal': ['auth.chat-without-a-key', 'AUTH-1'],
  'auth-accepts-lower-case-bearer': ['auth.upper-case-bearer', 'AUTH-2'],
  'auth-accepts-more-white-space': ['auth.tab', 'AUTH-2'],
  'auth-accepts-no-space': ['auth.no-space', 'AUTH-2'],
  'auth-accepts-quoted-key': ['auth.quoted-key', 'AUTH-2'],
  'auth-accepts-bare-key': ['auth.bare-key', 'AUTH-2'],
  'auth-accepts-any-scheme': ['auth.token-scheme', 'AUTH-2'],
  'auth-takes-first-of-a-list': ['auth.key-list', 'AUTH-2'],
  'auth-takes-the-last-word': ['auth.bearer-twice', 'AUTH-2'],
  'auth-answers-other-schemes-400': ['auth.token-scheme', 'AUTH-2'],
  'auth-types-two-spaces-bad-request': ['auth.two-spaces', 'AUTH-2'],
  'auth-calls-quoted-key-missing': ['auth.quoted-key-code', 'AUTH-4'],
  'auth-calls-missing-key-invalid': ['auth.missing-header-models', 'AUTH-3'],
  'auth-answers-missing-key-400': ['auth.missing-header-chat', 'AUTH-1', 'AUTH-3', 'AUTH-7'],
  'auth-calls-missing-key-bad-request': ['auth.missing-header-chat', 'AUTH-3'],
  'auth-knows-one-code': ['auth.unknown-key', 'AUTH-4'],
  'derived-error-error-code-unknown-always': ['auth.unknown-key', 'AUTH-3', 'AUTH-4'],
  'auth-forbids-wrong-key': ['auth.unknown-key', 'AUTH-1', 'AUTH-4', 'AUTH-8'],
  'keys-calls-revoked-expired': ['auth.revoked-key', 'AUTH-4'],
  'auth-knows-inherited-names': ['auth.property-name', 'AUTH-4'],
  'auth-fails-on-short-keys': ['auth.key-truncated-by-one', 'AUTH-4', 'AUTH-8'],
  'auth-demands-chat-header': ['auth.one-header-chat', 'AUTH-5'],
  'auth-refuses-key-on-records': ['auth.one-header-record', 'AUTH-5'],
  'auth-accepts-query-key': ['auth.query-api-key', 'AUTH-6'],
  'auth-accepts-x-api-key': ['auth.x-api-key', 'AUTH-6'],
  'auth-accepts-api-key': ['auth.api-key', 'AUTH-6'],
  'auth-accepts-cookie': ['auth.cookie', 'AUTH-6'],
  'auth-accepts-basic': ['auth.basic', 'AUTH-6'],
  'auth-accepts-body-key': ['auth.body-member', 'AUTH-6'],
  'auth-reads-the-first-of-two-lines': ['auth.wrong-line-after', 'AUTH-2'],
  'auth-reads-the-last-of-two-lines': ['auth.wrong-line-before', 'AUTH-2'],
  'auth-prefers-x-api-key': ['auth.x-api-key-beside-a-wrong-key', 'AUTH-6'],
  'auth-falls-back-to-cookies': ['auth.cookie-beside-a-wrong-key', 'AUTH-6'],
  'auth-reads-body-first': ['auth.before-bad-json', 'AUTH-7'],
  'auth-routes-first': ['auth.before-unknown-path', 'AUTH-7'],
  'auth-checks-methods-first': ['auth.before-get-chat', 'AUTH-7'],
  'auth-adds-the-prefix': ['auth.key-without-prefix', 'AUTH-8'],
  'auth-accepts-any-key': ['auth.key-first-character', 'AUTH-1', 'AUTH-4', 'AUTH-8'],
  'auth-compares-ends': ['auth.key-first-character', 'AUTH-8'],
  'auth-compares-beginnings': ['auth.key-last-character', 'AUTH-8'],
  'auth-ignores-case-of-keys': ['auth.key-other-case', 'AUTH-8'],
  'auth-decodes-keys': ['auth.key-same-bytes', 'AUTH-8'],
  'auth-accepts-beginnings': ['auth.key-truncated-by-one', 'AUTH-8'],
  'auth-cuts-long-keys': ['auth.key-extended-by-one', 'AUTH-8'],
  'auth-ignores-one-character': ['auth.key-every-character', 'AUTH-8'],
})

testOddities(section, { 'odd-cloudflare-headers': /^$/ })

it.each([
  ['records of models', isModelRecord, 404],
  ['streams', wantsStream, 400],
])('passes a service without %s', async (_, isMeant, status) => {
  const verdicts = await judgeFault(
    () =>
      sendError((answer, call) => answer.status !== 401 && isMeant(call), status, {
        message: 'No.',
        code: 'no',
      }),
    cases,
  )
  expect(verdicts.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')).toEqual([])
})

it('does not call it a refusal of wrong forms when every request is refused', async () => {
  const verdicts = await judgeFault(
    () => (call, forward) =>
      isApi(call) && header(call, 'authorization') !== undefined ? refuse(call, forward) : forward(call),
    cases,
  )
  for (const row of ['AUTH-2', 'AUTH-8', 'AUTH-6'] as const)
    expect(outcomesOf(verdicts, row)).toEqual(['inconclusive'])
  expect(outcomesOf(verdicts, 'AUTH-5')).toContain('fail')
})

it('leaves AUTH-6 open if the service requires no key', async () => {
  const verdicts = await judgeFault(
    ({ key }) =>
      (call, forward) =>
        forward(header(call, 'authorization') === undefined ? withKey(call, key) : call),
    cases,
  )
  expect(redRows(verdicts)).not.toContain('AUTH-6')
  expect(redRows(verdicts)).toContain('AUTH-1')
})

it('judges the other checks if no revoked key is known', async () => {
  const revokedKey = async (): Promise<string> => {
    throw new Inconclusive('none was given')
  }
  const verdicts = await judgeFault('odd-proxy', cases, { target: { revokedKey } })
  const open = verdicts.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')
  expect(open).toMatchObject([{ id: 'auth.revoked-key', outcome: 'inconclusive' }])
})
