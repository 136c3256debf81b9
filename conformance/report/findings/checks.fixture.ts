// Checks that do not hold, for the tests of findings: those that show one cause, and those that only look alike.
import type { ReportCheck } from '../../contract/report.ts'

export function check(more: Partial<ReportCheck>): ReportCheck {
  return {
    id: 'chat.one',
    requirement: 'CHAT-5',
    level: 'MUST',
    outcome: 'fail',
    title: '`n`: a value of another type',
    durationMs: 1,
    exchanges: [],
    ...more,
  }
}

export const accepted = { expected: 'status 400 (n: "1")', actual: 'status 200, {"id":"a"}' }
export const refused = { expected: 'a success (top_p: 0 is in range)', actual: 'status 400, {"error":{}}' }
export const broken = { expected: 'status 400', actual: 'status 500, {"error":{}}' }
export const misnamed = { expected: 'status 400', actual: 'status 422, {"detail":[]}' }
export const other = { expected: 'content that is a JSON object', actual: '"no"' }

/** An exchange whose answer has this status, body and headers. */
export function answered(status: number, body: string, headers: [string, string][] = []) {
  const request = { method: 'POST', url: 'http://h/v1/chat/completions', headers: [] }
  return [{ request, response: { status, headers, body }, timings: null }]
}

const said = (message: string) => answered(400, JSON.stringify({ error: { message } }))
const cut = { expected: 'an answer that ends', actual: 'the connection broke after 122 bytes' }
export const html = { exchanges: answered(200, '<html></html>', [['content-type', 'text/html']]) }
export const unjudged = (reason: string) => ({ outcome: 'inconclusive', reason }) as const

/** Checks of different rows that show one cause. */
export const together: Readonly<Record<string, readonly Partial<ReportCheck>[]>> = {
  'a refusal with another status': [
    { requirement: 'CHAT-3', expected: 'status 400', actual: 'status 422, {"error":{}}' },
    { requirement: 'WIRE-10', expected: 'status 400 (n: 129)', actual: 'status 422, {"detail":[]}' },
    { requirement: 'CHAT-6', expected: 'status 400', actual: 'refused, but with 422, {"detail":[]}' },
    { requirement: 'ERR-7', outcome: 'warn', expected: 'status 400, 401, 404', actual: 'status 422' },
  ],
  'a missing member of an answer': [
    { requirement: 'WIRE-1', expected: 'id, a non-empty string', actual: 'nothing' },
    { requirement: 'STREAM-3', expected: 'id, the same on every chunk', actual: 'nothing' },
    { requirement: 'GATE-2', expected: 'id "chatcmpl-PUkvoZhmK27A"', actual: 'nothing at the client' },
  ],
  'a member that a gateway loses': [
    { requirement: 'GATE-1', expected: 'messages[0].name "ann"', actual: 'nothing at the upstream' },
    { requirement: 'GATE-1', expected: 'messages[2].name "bob"', actual: 'nothing at the upstream' },
  ],
  'a member that a gateway changes': [
    { requirement: 'GATE-2', expected: 'choices[0].finish_reason "length"', actual: '"stop" at the client' },
    {
      requirement: 'GATE-14',
      expected: 'choices[1].finish_reason "content_filter"',
      actual: '"stop" at the client',
    },
  ],
  'a gateway that has stopped answering': [
    {
      requirement: 'GATE-12',
      expected: 'an answer to each request',
      actual: 'the gateway stopped answering after `leaves-the-stream`',
    },
    {
      requirement: 'GATE-1',
      ...unjudged('the gateway stopped answering after `leaves-the-stream`, which GATE-12 judges'),
    },
  ],
  'a missing member of an error': [
    { requirement: 'AUTH-3', expected: 'error.code "missing_api_key"', actual: 'nothing' },
    { requirement: 'ERR-1', expected: 'error.code, a string', actual: 'nothing' },
  ],
  'errors without an envelope': [
    {
      requirement: 'AUTH-2',
      expected: 'error.type "a"',
      actual: 'nothing',
      exchanges: answered(401, '{"detail":"a"}'),
    },
    {
      requirement: 'ERR-1',
      expected: 'error.message, a string',
      actual: 'nothing',
      exchanges: answered(404, '{}'),
    },
  ],
  'answers that are cut': [
    { requirement: 'CHAT-9', ...cut },
    {
      requirement: 'SDK-1',
      expected: 'a call that works',
      actual: 'TypeError: the answer ended early: broken',
    },
    {
      requirement: 'STREAM-6',
      ...unjudged('the stream did not come to its end (broken), which STREAM-2 judges'),
    },
    { requirement: 'CHAT-10', ...unjudged('the answer was cut (broken), also when asked again') },
  ],
  'no answer': [
    { requirement: 'CHAT-9', expected: 'an answer', actual: 'no answer within 30 s' },
    { requirement: 'WIRE-1', ...unjudged('no answer, also when asked again: no answer within 12.5 s') },
  ],
  'a page of HTML': [
    { requirement: 'CHAT-3', expected: 'status 400', actual: 'status 200, "<html></html>"', ...html },
    { requirement: 'WIRE-6', expected: '2 choices', actual: '0', ...html },
  ],
  'a 5xx with one text': [
    { requirement: 'CHAT-3', ...broken, exchanges: answered(500, '{"detail":"Oh","id":"a1b2c3d4"}') },
    { requirement: 'CHAT-4', ...broken, exchanges: answered(500, '{"detail":"Oh","id":"d4c3b2a1"}') },
  ],
  'a refusal of valid requests with one text': [
    { requirement: 'TOOL-1', ...refused, exchanges: said('tools need --jinja') },
    { requirement: 'WIRE-12', ...refused, exchanges: said('tools need --jinja') },
  ],
  'no verdict for one reason': [
    { requirement: 'KEY-5', ...unjudged('the port 18080 is in use') },
    { requirement: 'AUTH-4', ...unjudged('the port 18081 is in use') },
  ],
  'no verdict because of a row that fails': [
    { requirement: 'CHAT-1', ...refused },
    { requirement: 'WIRE-1', ...unjudged('a valid request was answered with 400, which CHAT-1 judges') },
  ],
  'one row, with other values of the request': [
    { requirement: 'WIRE-6', expected: '1 choices', actual: '0' },
    { requirement: 'WIRE-6', expected: '3 choices', actual: '1' },
  ],
}

/** Pairs of checks that look alike and have different causes. */
export const apart: Readonly<Record<string, readonly [Partial<ReportCheck>, Partial<ReportCheck>]>> = {
  'values that are answered, of two rows': [accepted, { requirement: 'WIRE-10', ...accepted }],
  'one value in two rows': [
    { requirement: 'WIRE-2', ...other },
    { requirement: 'WIRE-17', ...other },
  ],
  'a 422 for a 400, and for a 404': [misnamed, { ...misnamed, expected: 'status 404' }],
  'a 422 and a 409 for a 400': [misnamed, { ...misnamed, actual: 'status 409, {}' }],
  'a 422 for a 400, and for a success': [misnamed, { ...misnamed, expected: 'a success' }],
  'members that are missing': [
    { expected: 'id, a string', actual: 'nothing' },
    { expected: 'created, a number', actual: 'nothing' },
  ],
  'members of an error that are missing': [
    { expected: 'error.code "a"', actual: 'nothing' },
    { expected: 'error.type "a"', actual: 'nothing' },
  ],
  'a member that is missing, and one that is wrong': [
    { expected: 'id, a string', actual: 'nothing' },
    { expected: 'id, a string', actual: '7' },
  ],
  'error codes that are wrong': [
    { expected: 'error.code "a"', actual: '"no_key"' },
    { expected: 'error.code "a"', actual: '"bad_key"' },
  ],
  'a missing code, and no envelope': [
    { expected: 'error.code "a"', actual: 'nothing', exchanges: said('a') },
    { expected: 'error.code "a"', actual: 'nothing', exchanges: answered(400, '{}') },
  ],
  'a member that a gateway loses of requests, and of answers': [
    { requirement: 'GATE-1', expected: 'service_tier "flex"', actual: 'nothing at the upstream' },
    { requirement: 'GATE-2', expected: 'service_tier "flex"', actual: 'nothing at the client' },
  ],
  'a member that a gateway loses, and one that it changes': [
    { requirement: 'GATE-1', expected: 'temperature 0', actual: 'nothing at the upstream' },
    { requirement: 'GATE-1', expected: 'temperature 0.3', actual: '1 at the upstream' },
  ],
  'the sides of a gateway': [
    { requirement: 'GATE-2', ...other, attribution: 'gateway' },
    { requirement: 'GATE-2', ...other, attribution: 'upstream' },
  ],
  'answers that are cut, and shorter than announced': [
    cut,
    { ...cut, exchanges: answered(200, '{', [['Content-Length', '200']]) },
  ],
  'answers that are cut, and that are late': [cut, { ...cut, actual: 'time ran out after 122 bytes' }],
  'pages of HTML with two statuses': [
    { ...other, ...html },
    { ...other, exchanges: answered(502, '', [['content-type', 'text/html']]) },
  ],
  'crashes with two texts in two rows': [
    { ...broken, exchanges: answered(500, 'KeyError') },
    { requirement: 'CHAT-4', ...broken, exchanges: answered(500, 'TypeError') },
  ],
  'fields that are refused, of two rows': [
    { ...refused, exchanges: said("unknown field 'n'") },
    { requirement: 'WIRE-6', ...refused, exchanges: said("unknown field 'stop'") },
  ],
  'rows that a reason names': [
    unjudged('no chunk came, which STREAM-1 judges'),
    unjudged('no chunk came, which STREAM-2 judges'),
  ],
  'statuses that a reason names': [unjudged('the key got status 500'), unjudged('the key got status 401')],
  'an error of the suite, and no verdict': [
    unjudged('x is not a function'),
    { outcome: 'error', reason: 'x is not a function' },
  ],
  'a page of HTML that the scripted service sends a client': [
    { requirement: 'READ-2', expected: 'an error', actual: 'an answer', ...html },
    { requirement: 'READ-3', expected: 'the text', actual: 'nothing of it', ...html },
  ],
}
