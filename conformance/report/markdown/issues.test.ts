import { expect, test } from 'vitest'
import { KEY, evidence, madeReport, results } from '../report.fixture.ts'
import { issuesOf } from './issues.ts'

const report = madeReport()
const issues = issuesOf(report)
const issueOf = (id: string): string => issues.find(({ file }) => file.endsWith(`-${id}.md`))?.text ?? ''

test('each failure and warning is an issue, in a file that has the same name in each run', () => {
  const files = ['auth-4-auth.fail.md', 'auth-4-auth.unanswered.md', 'auth-7-auth.warn.md']
  expect(issues.map(({ file }) => file).toSorted()).toEqual(files)
  expect(issuesOf(madeReport({ seed: 7 })).map(({ file }) => file)).toEqual(issues.map(({ file }) => file))
})

test('an issue has what a maintainer needs, and one line about the judge', () => {
  const text = issueOf('auth.fail')
  const [title, , quote] = text.split('\n')
  expect(title).toMatch(
    /^# a key .* expected error\.code "invalid\\_api\\_key", received "missing\\_api\\_key"$/,
  )
  expect(quote).toMatch(/^> \S/)
  expect(text).toContain('Expected: `error.code "invalid_api_key"`')
  expect(text).toContain('Received: `"missing_api_key"`')
  expect(text).toMatch(/export API_KEY=…\ncurl .*"Authorization: Bearer \$API_KEY"/)
  expect(text).toContain('< status 401')
  expect(text).toContain(`Model: \`${report.target.model}\``)
  const own = text.split('\n').filter((line) => /touchstone|conformance|auth\.fail|AUTH-4/i.test(line))
  expect(own).toEqual([
    expect.stringMatching(/^Found by Touchstone \d+\.\d+\.\d+, check `auth\.fail` of AUTH-4, seed 42\.$/),
  ])
  expect(text.trimEnd().split('\n').at(-1)).toBe(own[0])
})

test('no key, no escape and no markup of a service leaves its place', () => {
  const hostile = '``` \n# x <img src=x> [a](http://e.example) \u001b[31m'
  const body = Buffer.from(`${hostile}\n${KEY}`)
  const said = {
    title: hostile,
    mismatch: { expected: hostile, actual: `${hostile} ${KEY}` },
    reason: hostile,
    exchanges: [{ ...evidence, response: { ...evidence.response, body } }],
  }
  const own = results.filter(({ id }) => id === 'auth.fail').map((result) => Object.assign({}, result, said))
  for (const { text } of [...issues, ...issuesOf(madeReport({ results: own }))]) {
    expect(text).not.toContain(KEY.slice(7, 15))
    expect(text).not.toContain('\u001b')
    // A heading of a stranger would begin a line outside of a block.
    const outside = text.replaceAll(/^(`{3,})\n[^]*?\n\1$/gm, '')
    expect(outside).not.toMatch(/^# x/m)
    expect(outside.replaceAll(/(`+)[^`].*?\1/g, '')).not.toMatch(/(?<!\\)<img/)
  }
})
