// The service as a process, used by an operator and a client: no file and no log line contains a secret, a password or a
// session id (KEY-2).
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServerProcess } from '../server-process.fixture.ts'
import { elementText, hiddenFields } from './dashboard.fixture.ts'
import { fields } from './form-fields.ts'

/** The content of all files of a folder, one character per byte. */
function filesOf(folder: string): string {
  const files = readdirSync(folder).map((name) => join(folder, name))
  return files.map((file) => readFileSync(file, 'latin1')).join('\n')
}

test('no secret is in the database, its WAL, another file, or a log line (KEY-2)', async () => {
  // A generated password is printed after the URL.
  using server = await startServerProcess({ DASHBOARD_PASSWORD: '', LOG_LEVEL: 'trace' })
  const { url, child, dataDir, output, log } = server
  const printed = () => /password\s+(\S+)/.exec(output.join('\n'))?.[1] ?? ''
  await expect.poll(printed).not.toBe('')
  const password = printed()
  const nextPassword = 'a password of my own'

  let cookie = ''
  const send = async (path: string, form?: Record<string, string>) => {
    const response = await fetch(`${url}/dashboard${path}`, {
      redirect: 'manual',
      headers: { origin: url, cookie },
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
    })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response.text()
  }
  const cookies: string[] = []
  await send('/sign-in', { [fields.password]: password })
  cookies.push(cookie)
  const form = hiddenFields(await send('/keys/new'))
  const made = await send('/keys', { ...form, [fields.name]: 'a key', [fields.access]: 'all' })
  const secret = elementText(made, 'key-secret') ?? ''
  const id = elementText(made, 'key-id') ?? ''
  expect(secret).toMatch(/^svc_sk_/)

  const ask = (headers: Record<string, string>, path = '/v1/chat/completions') =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'svc-0.1-echo', messages: [{ role: 'user', content: 'hello' }] }),
    }).then((response) => response.text())
  await ask({ authorization: `Bearer ${secret}` })
  await ask({ authorization: `bearer ${secret}` })
  await ask({ authorization: `Bearer ${secret}` }, `/v1/${secret}`)
  await send(`?q=${secret}`)
  await send('/keys', { ...form, [fields.name]: 'a key', [fields.access]: 'all' })
  await send('/password', {
    ...form,
    [fields.password]: password,
    [fields.newPassword]: nextPassword,
    [fields.repeated]: nextPassword,
  })
  cookies.push(cookie)
  const revoke = hiddenFields(await send(`/keys/${id}/revoke`))
  await send(`/keys/${id}/revoke`, revoke)
  await ask({ authorization: `Bearer ${secret}` })
  expect(await send('/audit')).toContain('Revoked a key')

  expect(readdirSync(dataDir)).toContain('keys.sqlite-wal')
  const running = filesOf(dataDir)
  child.kill('SIGTERM')
  await once(child, 'close')
  const logged = log.join('\n')
  const body = secret.slice('svc_sk_'.length)
  const secrets = [
    // Eight characters of the text, or eight bytes that it encodes.
    body.slice(0, 8),
    body.slice(-12, -4),
    Buffer.from(body, 'base64url').toString('latin1').slice(0, 8),
    password,
    nextPassword,
    ...cookies.map((text) => text.slice(text.indexOf('=') + 1)),
  ]
  expect(new Set(secrets).size).toBe(7)
  for (const [place, text] of Object.entries({ running, stopped: filesOf(dataDir), logged }))
    for (const part of secrets)
      expect({ place, part, found: text.includes(part) }).toMatchObject({ found: false })
  // The searched texts contain the actions of this test.
  expect(running).toContain(id)
  expect(logged).toContain(id)
}, 60_000)
