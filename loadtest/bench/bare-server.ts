// The reference of the benchmark: plain `node:http`. It parses the body and writes the answer of the server under
// test: a stream in one write, or record by record with BARE_BY_RECORD=1.
import { answerBare, serveParsed } from './bare-answer.ts'

const byRecord = process.env['BARE_BY_RECORD'] === '1'
serveParsed((_request, _body, response) => answerBare(response, byRecord))
