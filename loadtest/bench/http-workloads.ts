// The requests whose cost is compared.

const MODEL = 'svc-0.1-echo'

export interface Workload {
  /** The unit of the rate. */
  readonly unit: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

const ask = (content: string) => ({
  model: MODEL,
  messages: [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content },
  ],
})

export const workloads = {
  'echo-plain': {
    unit: 'requests/s',
    method: 'POST',
    path: '/v1/chat/completions',
    body: { ...ask('What is the answer?!'), temperature: 0 },
  },
  // 80 tokens of the echo model are 20 deltas.
  'echo-streamed': {
    unit: 'streams/s',
    method: 'POST',
    path: '/v1/chat/completions',
    body: { ...ask('0123456789'.repeat(8)), stream: true },
  },
  models: { unit: 'requests/s', method: 'GET', path: '/v1/models' },
} as const satisfies Readonly<Record<string, Workload>>

/** A stream that waits after its first delta. */
export const stalled: Workload = {
  unit: 'streams',
  method: 'POST',
  path: '/v1/chat/completions',
  body: { ...ask('#fault stall=600000 at=1\n0123456789'), stream: true },
}

/** The bytes of a request, as a client sends them. */
export function rawRequest({ method, path, body }: Workload, key: string): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${key}`]
  if (body !== undefined)
    head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`)
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}
