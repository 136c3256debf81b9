// The service as a process, used as an operator and a client use it: no file that it writes and no line that it logs
// holds a secret, a password, or what signs somebody in (KEY-2).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { elementText, hiddenFields } from './dashboard.fixture.ts'
import { fields } from './fields.ts'

const root = new URL('../..', import.meta.url)

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'touchstone-secrets-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** Everything that lies in the data folder, as one string of bytes. */
function filesOf(folder: string): string {
  const files = readdirSync(folder).map((name) => join(folder, name))
  return files.map((file) => readFileSync(file, 'latin1')).join('\n')
}

test('nothing secret is in the database, its WAL, another file, or a log line (KEY-2)', async () => {
  const child = spawn(process.execPath, ['server/main.js'], {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: dataDir,
      DASHBOARD_PASSWORD: '',
      LOG_LEVEL: 'trace',
      LLAMA_TINY: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let logged = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (logged += piece))
  const lines: string[] = []
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line))
  try {
    await once(reader, 'line')
    await new Promise((resolve) => setImmediate(resolve))
    const [url = ''] = lines
    const password = /password\s+(\S+)/.exec(lines.join('\n'))?.[1] ?? ''
    const nextPassword = 'a password of my own'
    expect(password).not.toBe('')

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
    await once(child, 'exit')
    const secrets = [
      secret.slice('svc_sk_'.length),
      password,
      nextPassword,
      ...cookies.map((text) => text.slice(text.indexOf('=') + 1)),
    ]
    expect(new Set(secrets).size).toBe(5)
    for (const [place, text] of Object.entries({ running, stopped: filesOf(dataDir), logged }))
      for (const part of secrets)
        expect({ place, part, found: text.includes(part) }).toMatchObject({ found: false })
    // What is looked at does hold what was done.
    expect(running).toContain(id)
    expect(logged).toContain(id)
  } finally {
    child.kill('SIGKILL')
  }
}, 60_000)
