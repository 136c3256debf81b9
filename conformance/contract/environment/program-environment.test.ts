// A program gets what it needs, and no key of its operator.
import { expect, test } from 'vitest'
import { gatewayEnvironment, programEnvironment } from './program-environment.ts'

const SECRETS =
  'GITHUB_TOKEN NPM_TOKEN NODE_AUTH_TOKEN AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE DASHBOARD_PASSWORD OPENAI_API_KEY CONFORMANCE_API_KEY DATABASE_URL GOPRIVATE_TOKEN PIP_INDEX_URL SSH_AUTH_SOCK GH_PAT'
const NEEDED =
  'PATH HOME TMPDIR LANG LC_ALL LC_CTYPE TZ https_proxy HTTP_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE NODE_OPTIONS PYTHONPATH VIRTUAL_ENV GOFLAGS JAVA_HOME SystemRoot TOUCHSTONE_TIMES'

const all = Object.fromEntries(`${SECRETS} ${NEEDED}`.split(' ').map((name) => [name, `of ${name}`]))

test.each(SECRETS.split(' '))('%s is not passed, unless it is named', (name) => {
  expect(programEnvironment(all)).not.toHaveProperty(name)
  if (name.startsWith('CONFORMANCE_')) return
  expect(programEnvironment(all, [name])).toHaveProperty(name, `of ${name}`)
})

test.each(NEEDED.split(' '))('%s is passed', (name) => {
  expect(programEnvironment(all)).toHaveProperty(name, `of ${name}`)
})

test('a gateway gets what configures it, and no key of the judge', () => {
  const passed = gatewayEnvironment(all)
  expect(passed).toHaveProperty('OPENAI_API_KEY', 'of OPENAI_API_KEY')
  expect(passed).not.toHaveProperty('CONFORMANCE_API_KEY')
})

test('the scripted service is reached without a proxy', () => {
  expect(programEnvironment({ no_proxy: 'a.example' })).toMatchObject({
    NO_PROXY: 'a.example,127.0.0.1,127.0.0.2,localhost',
  })
})

test.each([
  ['MISSING', /^--env MISSING: the variable is not set$/],
  ['CONFORMANCE_API_KEY', /never gets the keys of the judge/],
  ['NAME=hunter2-value', /^(?!.*hunter2).*--env: expected the name of a variable/],
])('%s is refused', (name, message) => {
  expect(() => programEnvironment(all, [name])).toThrow(message)
})
