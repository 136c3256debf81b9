// `npm run site [-- FOLDER]`: builds the public record as static pages, by default in site/.
import { join } from 'node:path'
import { buildDate, buildSite } from './build.ts'
import { readRecord } from '../results/record.ts'
import { publishedIn } from './record.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, '..', '..', 'site')
const published = publishedIn(readRecord())
const files = await buildSite(published, folder, buildDate(published, process.env['SOURCE_DATE_EPOCH']))
process.stdout.write(`${files.length} files in ${folder}\n`)
