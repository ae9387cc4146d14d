import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/** Migrations never change, and the SDK's types are made of the contract. */
const EXCLUDED = [
  '**/node_modules',
  '**/dist',
  '**/migrations',
  '**/.*',
  'scratch',
  'service/src/http/language.test.ts',
]
const FILES = globSync('**/*.{ts,tsx,js,css,html,md,yml,yaml,sh,conf,example,txt}', {
  cwd: ROOT,
  exclude: EXCLUDED,
})

/** Words with a plainer one in the field: notify, publish, check, again, unfreeze, corrupt, the caller, response. */
const WORDS = [
  String.raw`\b(?:told|tells?|telling|whoever|whomever|somebody|anew|thaw\w*|couriers?|parcels?|hasten\w*|spoil\w*)\b`,
  String.raw`\b(?:beca?mes? of|came of|comes of|dealt out|(?:goes|go|went) round|for want of|stands? in)\b`,
  String.raw`\blook(?:s|ed|ing)? (?:at|again)\b`,
  String.raw`\b(?:judg(?!ement)\w*|rehears\w*|standings?)\b`,
  // A server responds or returns; a person answers.
  String.raw`\banswers?\b`,
]
const NAMES = String.raw`[a-z](?:Tell|Told|Thaw|LookAt|LookedAt|LookAgain|Answer|Standing|Rehears\w*|Judg\w*)(?:[A-Z]|s?\b)|\b(?:tell|told|thaw|answer|judge|rehearse|play)[A-Z]`
const RETIRED = [new RegExp(WORDS.join('|'), 'i'), new RegExp(NAMES)]

/** The result of a verification of which the command `verify` and its users know the name; what a person answers. */
const ALLOWED =
  /cannot tell|`SellerAnswer`|`answer`|(?<=waits for an )answer|answer(?:-?(?:invitation|request)|s? (?:a request|for)\b)|(?<=nobody |concurrent |several |can |could |one )answers?|answer: 'accepted'|before, answer, now/gi

test('no file uses a word that the glossary of the project has replaced', () => {
  const found = FILES.flatMap(file => {
    const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(ALLOWED, '')
    if (!isRetired(text)) return []
    return text
      .split('\n')
      .flatMap((line, at) => (isRetired(line) ? [`${file}:${at + 1} ${line.trim()}`] : []))
  })
  expect(found).toEqual([])
})

function isRetired(text: string): boolean {
  return RETIRED.some(words => words.test(text))
}

test('the glossary is in alphabetical order and has each term once', () => {
  const terms = [...readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').matchAll(/^\| ([^|]+) \|/gm)]
    .map(([, term = '']) => term)
    .filter(term => term !== 'Term')
  expect(terms).toEqual([...new Set(terms)].toSorted((one, other) => one.localeCompare(other, 'en')))
})
