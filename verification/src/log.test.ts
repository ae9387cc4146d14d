import { expect, test } from 'vitest'
import { isDoubt, resultText } from './index.ts'
import { checker, withEachByteFlipped, withEachLeafChanged } from './testing/checks.ts'
import { newLog } from './testing/log-samples.ts'
import { IN_TIME, receiptSample } from './testing/signed-samples.ts'
import { keyDocument, keySet, newSigner } from './testing/signer.ts'

const SIZE = 7
const signer = newSigner()
const log = newLog(signer, SIZE)
const check = checker(keyDocument(signer))
const json = JSON.stringify
const INDEXES = Array.from({ length: SIZE }, (_, index) => index)

test('an audit entry is genuine at each place of logs of each size', () => {
  for (let size = 1; size <= SIZE; size++) {
    const smaller = newLog(signer, size)
    for (let index = 0; index < size; index++) {
      const verdict = check(json(smaller.verification(index)))
      expect(verdict).toMatchObject({
        kind: 'genuine',
        says: expect.stringContaining(`number ${index} in the log`),
      })
    }
  }
  expect(checker(keySet(signer))(json(log.verification(3))).kind).toBe('genuine')
})

test('an audit entry is not genuine when any byte of the file is flipped', () => {
  const text = json(log.verification(3))
  let count = 0
  for (const flipped of withEachByteFlipped(text)) {
    expect.soft(isDoubt(check(flipped)), flipped).toBe(true)
    count += 1
  }
  expect(count).toBeGreaterThan(900)
})

test('an audit entry is not genuine when any field, node, size, index or root is changed', () => {
  for (const index of INDEXES) {
    for (const changed of withEachLeafChanged(log.verification(index))) {
      expect.soft(isDoubt(check(json(changed))), json(changed)).toBe(true)
    }
  }
})

test('an audit entry is not genuine at another place, in a tree of another size, or by another entry’s proof', () => {
  for (const index of INDEXES) {
    const whole = log.verification(index)
    for (let other = 0; other < 2 * SIZE; other++) {
      if (other !== index) expect(isDoubt(check(json({ ...whole, leaf_index: other })))).toBe(true)
      if (other !== SIZE) expect(isDoubt(check(json({ ...whole, tree_size: other })))).toBe(true)
    }
    for (const other of INDEXES) {
      if (other === index) continue
      expect(isDoubt(check(json({ ...whole, entry: log.entry(other) })))).toBe(true)
    }
  }
})

test('an audit entry without its data cannot be verified, but its place in the log can', () => {
  const whole = log.verification(3)
  const verdict = check(json({ ...whole, entry: { ...log.entry(3), data: null } }))
  expect(verdict).toMatchObject({
    verdict: 'cannot tell',
    because: expect.stringContaining('leaves out the data'),
  })
  expect(resultText(verdict)).toContain('at place 3')
})

test('what the service itself does not call valid is not', () => {
  const whole = log.verification(3)
  expect(check(json({ ...whole, valid: false, reason: 'altered' }))).toMatchObject({ verdict: 'not genuine' })
  const nothing = {
    leaf_index: null,
    tree_size: null,
    root_hash: null,
    inclusion_proof: [],
    checkpoint: null,
  }
  const pending = { valid: false, reason: 'pending', entry: log.entry(3), ...nothing }
  expect(check(json(pending))).toMatchObject({ because: expect.stringContaining('in a few seconds') })
  const unknown = { valid: false, reason: 'not_found', entry: null, ...nothing }
  expect(check(json(unknown))).toMatchObject({ because: expect.stringContaining('no such entry') })
})

test('a checkpoint is genuine as a note and as the response, and with no byte of it flipped', () => {
  const note = log.checkpoint()
  for (const file of [note, `${note}\n`, json({ checkpoint: note })]) {
    expect(check(file)).toMatchObject({ kind: 'genuine', says: expect.stringContaining('with 7 entries') })
  }
  for (const flipped of withEachByteFlipped(note)) {
    // The last byte is the line break, which is put back.
    expect.soft(isDoubt(check(flipped)) || flipped.slice(0, -1) === note.slice(0, -1), flipped).toBe(true)
  }
})

test('a checkpoint of another log or under another key is refused', () => {
  const other = newLog(newSigner('other'), 2).checkpoint()
  expect(check(other)).toMatchObject({
    verdict: 'cannot tell',
    because: expect.stringContaining('other/audit'),
  })
  expect(check(newLog(newSigner(), 2).checkpoint())).toMatchObject({ verdict: 'not genuine' })
  const renamed = log.checkpoint().replace('— batua/audit', '— other/audit')
  expect(isDoubt(check(renamed))).toBe(true)
})

test('consistency is genuine between any two checkpoints, and by no other proof', () => {
  for (let from = 0; from <= SIZE; from++) {
    for (let to = from; to <= SIZE; to++) {
      const proof = log.consistency(from, to)
      const notes = { from: log.checkpoint(from), to: log.checkpoint(to) }
      const verdictOf = (file: unknown, checkpoints = notes) => check(json(file), IN_TIME, checkpoints)
      expect(verdictOf(proof), json(proof)).toMatchObject({ kind: 'genuine' })
      for (const changed of withEachLeafChanged(proof)) expect(isDoubt(verdictOf(changed))).toBe(true)
      const forked = {
        ...notes,
        to: signer.note(`batua/audit\n${to}\n${Buffer.alloc(32, 7).toString('base64')}\n`),
      }
      if (from > 0) expect(verdictOf(proof, forked)).toMatchObject({ verdict: 'not genuine' })
    }
  }
})

test('nothing but a consistency proof is genuine between two checkpoints', () => {
  const notes = { from: log.checkpoint(2), to: log.checkpoint(5) }
  const others = [log.verification(1), { checkpoint: log.checkpoint() }, receiptSample(signer).response].map(
    value => json(value),
  )
  for (const file of [...others, log.checkpoint()]) {
    expect(check(file)).toMatchObject({ kind: 'genuine' })
    expect(check(file, IN_TIME, notes)).toMatchObject({
      because: expect.stringContaining('/v1/audit/consistency'),
    })
  }
})

test('consistency without its checkpoints asks for them', () => {
  expect(check(json(log.consistency(2, 5)))).toMatchObject({
    because: expect.stringContaining('--from and --to'),
  })
})
