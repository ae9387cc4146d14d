import { expect, test } from 'vitest'
import { formatId } from '../../../kernel/ids.ts'
import { normaliseHandle } from './find-agent.ts'

const ACCEPTED: readonly (readonly [string, string])[] = [
  ['alice', 'alice'],
  ['Alice', 'alice'],
  ['@Alice', 'alice'],
  ['abc', 'abc'],
  ['a-b_c9', 'a-b_c9'],
  ['a'.repeat(32), 'a'.repeat(32)],
  [`@${'a'.repeat(32)}`, 'a'.repeat(32)],
  ['agt_bob', 'agt_bob'],
]

test.each(ACCEPTED)('the handle %j is stored as %j', (written, handle) => {
  expect(normaliseHandle(written)).toBe(handle)
})

const REFUSED: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['only the at sign', '@'],
  ['two at signs', '@@alice'],
  ['an at sign inside', 'ali@ce'],
  ['two characters', 'ab'],
  ['33 characters', 'a'.repeat(33)],
  ['a digit first', '1alice'],
  ['an underscore first', '_alice'],
  ['a hyphen first', '-alice'],
  ['a space before', ' alice'],
  ['a newline after', 'alice\n'],
  ['a NUL inside', 'ali\0ce'],
  ['an escape inside', 'ali\u001bce'],
  ['a delete inside', 'ali\u007fce'],
  ['a C1 control inside', 'ali\u0085ce'],
  ['a zero-width joiner', 'ali\u200dce'],
  ['a zero-width space', 'alice\u200b'],
  ['a right-to-left override', 'alice\u202e'],
  ['a byte order mark', '\ufeffalice'],
  ['a Cyrillic a', '\u0430lice'],
  ['a Greek omicron', 'b\u03bfb'],
  ['a Kelvin sign, whose lower case is k', '\u212aite'],
  ['a dotted capital I, whose lower case begins with i', '\u0130ndia'],
  ['a long s, whose upper case is S', 'a\u017fk'],
  ['full-width letters', '\uff41lice'],
  ['mathematical letters', '\ud835\udcb6lice'],
  ['a composed accent', 'alic\u00e9'],
  ['a combining accent', 'alice\u0301'],
  ['Devanagari digits', 'alice\u0967'],
  ['Arabic digits', 'alice\u0661'],
  ['a lone surrogate', 'alice\ud800'],
  ['SQL', "bob'; drop table agents; --"],
  ['a SQL wildcard', 'ali%'],
  ['a path', '../alice'],
  ['a null byte in a URL', 'alice%00'],
  ['the id of an agent', formatId('agt', '01890a5d-ac96-774b-bcce-b302099a8056')],
  ['the id of an agent in capitals', formatId('agt', '01890a5d-ac96-774b-bcce-b302099a8056').toUpperCase()],
]

test.each(REFUSED)('a handle with %s is refused', (_what, written) => {
  expect(normaliseHandle(written)).toBeNull()
})
