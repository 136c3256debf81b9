// The texts that a public record must not contain, and harmless texts that look like them.
import { expect, test } from 'vitest'
import { leakIn } from './leaks.ts'

test.each([
  ['x-api-key: a8f3kd93jfk2', 'a credential'],
  ["curl -H 'Authorization: Bearer q8f3kd93jfk2'", 'a credential'],
  ['export OPENAI_API_KEY=q8f3kd93jfk2', 'a credential'],
  ['run svc_sk_abc', 'a key of this service'],
  ['run sk-proj-Abcdef', 'a key'],
  ['hf_abcdefghijklmnopqrst', 'a token'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJz', 'a JSON Web Token'],
  ['x9Kf83jd02Lq7ZpT5vB1', 'a random word, as keys are'],
  // Digits in three places, and a digit among letters of both cases.
  ['abcdefghijkl1mnopqrstu2', 'a random word, as keys are'],
  ['abcdefgHIJKL1mnopqrstu', 'a random word, as keys are'],
  ['curl http://me:q8f3kd93jfk2@127.0.0.1/', 'credentials in an address'],
  // Each name and form of the table of credentials.
  ['http://127.0.0.1/?api-version=1&sig=q8f3kd93', 'a credential'],
  ['http://127.0.0.1/?code=q8f3kd93', 'a credential'],
  ['AccountKey=q8f3kd93;', 'a credential'],
  ['hvs.CAESIJ1a2b3c4d5e', 'a token'],
  ['npm_q8f3kd93jfk2q8f3kd93jfk2', 'a token'],
  ['https://api.acme.dev', 'an address other than loopback'],
  ['serve --host 10.1.2.3', 'an address other than loopback'],
  ['serve --host fe80::1', 'an address other than loopback'],
  ['ssh gpu1.corp.internal', 'an address other than loopback'],
  ['cd /home/me/server', 'a home folder'],
])('%j contains %s', (text, what) => {
  expect(leakIn(text)).toBe(what)
})

test.each([
  ['curl -H "Authorization: Bearer $KEY" --api-key KEY --token <token>'],
  // Local servers document these keys.
  ['serve --api-key sk-1234'],
  ['OPENAI_API_KEY=not-needed run'],
  ['serve --host 0.0.0.0 http://localhost:8000 http://[::1]:80/v1'],
  [`docker run ghcr.io/x/y@sha256:${'a1'.repeat(32)}`],
  [`git clone https://github.com/x/y && git checkout ${'a1b2'.repeat(10)}`],
  ['pip install vllm==0.10.1.2'],
  ['Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf'],
])('%j may be public', (text) => {
  expect(leakIn(text)).toBeUndefined()
})
