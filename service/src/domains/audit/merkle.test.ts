import { createHash } from 'node:crypto'
import { rootOfInclusion, verifyConsistency, verifyInclusion } from '@batua/verification/verify-proof'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SEED } from '../../testing/knobs.ts'
import { consistencyRanges, hasTiles, inclusionRanges, rangeRoot, tilesOf } from './merkle.ts'
import { type MemoryTree, memoryTree, someLeaves } from './testing/memory-tree.ts'
import { naiveConsistency, naiveInclusion, naiveRoot } from './testing/naive-tree.ts'

/** The tree of the certificate-transparency project's own tests, and its roots by size. */
const CLASSIC_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(hex => createHash('sha256').update(Buffer.of(0)).update(Buffer.from(hex, 'hex')).digest())

const CLASSIC_ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

function proofOf(tree: MemoryTree, index: number, size = tree.size()): Buffer[] {
  return inclusionRanges(index, size).map(range => rangeRoot(range, tree.read))
}

function growthOf(tree: MemoryTree, from: number, to: number): Buffer[] {
  return consistencyRanges(from, to).map(range => rangeRoot(range, tree.read))
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

describe('the Merkle tree', () => {
  test('has the roots of the known test vectors', () => {
    const tree = memoryTree()
    tree.append(CLASSIC_LEAVES)
    const roots = CLASSIC_ROOTS.map((_, size) => tree.root(size).toString('hex'))
    expect(roots).toEqual(CLASSIC_ROOTS)
  })

  test('matches the RFC at any size, in whatever portions it grew', () => {
    const portions = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 6 })
    const property = fc.property(portions, fc.nat(), fc.nat(), (sizes, pick, other) => {
      const tree = memoryTree()
      for (const count of sizes) tree.append(someLeaves(count, tree.size()))
      const leaves = someLeaves(tree.size())
      expect(tree.root()).toEqual(naiveRoot(leaves))
      const index = pick % leaves.length
      expect(proofOf(tree, index)).toEqual(naiveInclusion(index, leaves))
      const from = other % (leaves.length + 1)
      expect(growthOf(tree, from, leaves.length)).toEqual(naiveConsistency(from, leaves))
    })
    console.log(`SEED=${SEED}`)
    fc.assert(property, { numRuns: 40, seed: SEED })
  })

  test.each([255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537])(
    'proves its first, middle and last leaves and its growth at the edges of tiles, with %i leaves',
    size => {
      const tree = borderTree()
      const leaves = someLeaves(size)
      const root = naiveRoot(leaves)
      expect(tree.root(size)).toEqual(root)
      for (const index of [0, 254, size >> 1, size - 2, size - 1]) {
        const [leaf, proof] = [leaves[index] ?? Buffer.alloc(0), proofOf(tree, index, size)]
        expect(verifyInclusion({ leaf, index, size, proof }, root)).toBe(true)
      }
      for (const from of [0, 1, 255, 256, 257, size - 1, size].filter(from => from <= size)) {
        const sizes = { from, to: size, fromRoot: tree.root(from), toRoot: root }
        expect(verifyConsistency({ ...sizes, proof: growthOf(tree, from, size) })).toBe(true)
      }
    },
  )

  test('reads few tiles for a proof, and reports a missing one', () => {
    const [index, size] = [5_000_000, 10_000_000]
    const tiles = tilesOf(inclusionRanges(index, size))
    expect(tiles.length).toBeLessThanOrEqual(6)
    const tree = borderTree()
    const ranges = inclusionRanges(300, 65_537)
    expect(hasTiles(ranges, tree.read)).toBe(true)
    expect(hasTiles(ranges, id => (id.level === 0 ? Buffer.alloc(0) : tree.read(id)))).toBe(false)
  })

  test('works with sizes above 32 bits', () => {
    const size = 2 ** 40 + 3
    const ranges = inclusionRanges(2 ** 33 + 1, size)
    expect(ranges).toHaveLength(41)
    const proof = someLeaves(41)
    const leaf = Buffer.alloc(32, 1)
    expect(rootOfInclusion({ leaf, index: 2 ** 33 + 1, size, proof })).not.toBeNull()
    expect(rootOfInclusion({ leaf, index: 2 ** 33 + 1, size, proof: proof.slice(1) })).toBeNull()
  })
})

let border: MemoryTree | null = null

/** One more leaf than fills a tile of the second level. */
function borderTree(): MemoryTree {
  if (border !== null) return border
  border = memoryTree()
  border.append(someLeaves(65_537))
  return border
}

describe('a proof', () => {
  const SIZES = [1, 2, 3, 7, 8, 11]
  const tree = memoryTree()
  tree.append(someLeaves(11))
  const leaves = someLeaves(11)

  test('of inclusion is valid only for its own leaf, index, size and root', () => {
    for (const size of SIZES) {
      for (let index = 0; index < size; index++) {
        const good = {
          leaf: leaves[index] ?? Buffer.alloc(0),
          index,
          size,
          proof: proofOf(tree, index, size),
        }
        const root = tree.root(size)
        expect(verifyInclusion(good, root)).toBe(true)
        for (let other = 0; other < size; other++)
          if (other !== index) expect(verifyInclusion({ ...good, index: other }, root)).toBe(false)
        expect(verifyInclusion({ ...good, leaf: flipped(good.leaf, 3) }, root)).toBe(false)
        expect(verifyInclusion(good, flipped(root, 31))).toBe(false)
        expect(verifyInclusion({ ...good, proof: [...good.proof, root] }, root)).toBe(false)
        expect(verifyInclusion({ ...good, proof: good.proof.slice(1) }, root)).toBe(good.proof.length === 0)
      }
    }
  })

  test('of inclusion or consistency is invalid if any of its bytes was changed', () => {
    const inclusion = { leaf: leaves[4] ?? Buffer.alloc(0), index: 4, size: 11, proof: proofOf(tree, 4) }
    for (const proof of everyFlip(inclusion.proof))
      expect(verifyInclusion({ ...inclusion, proof }, tree.root())).toBe(false)
    const growth = {
      from: 6,
      to: 11,
      fromRoot: tree.root(6),
      toRoot: tree.root(),
      proof: growthOf(tree, 6, 11),
    }
    expect(verifyConsistency(growth)).toBe(true)
    for (const proof of everyFlip(growth.proof)) expect(verifyConsistency({ ...growth, proof })).toBe(false)
  })

  test('of consistency is valid only for its own sizes and roots', () => {
    for (let to = 0; to <= 11; to++) {
      for (let from = 0; from <= to; from++) {
        const [fromRoot, toRoot] = [tree.root(from), tree.root(to)]
        const good = { from, to, fromRoot, toRoot, proof: growthOf(tree, from, to) }
        expect(verifyConsistency(good)).toBe(true)
        expect(verifyConsistency({ ...good, fromRoot: flipped(fromRoot, 0) })).toBe(false)
        // The empty tree is a prefix of every tree, so its proof is empty.
        expect(verifyConsistency({ ...good, toRoot: flipped(toRoot, 0) })).toBe(from === 0 && to > 0)
        expect(verifyConsistency({ ...good, proof: [...good.proof, toRoot] })).toBe(false)
        expect(verifyConsistency({ ...good, from: to + 1 })).toBe(false)
      }
    }
  })

  test('with invalid sizes is invalid', () => {
    const [leaf, root] = [Buffer.alloc(32), Buffer.alloc(32)]
    for (const [index, size] of [
      [-1, 1],
      [0.5, 1],
      [1, 1],
      [0, 0],
      [0, Number.NaN],
      [0, Number.POSITIVE_INFINITY],
    ] as const)
      expect(verifyInclusion({ leaf, index, size, proof: [] }, root)).toBe(false)
  })
})

function* everyFlip(proof: readonly Buffer[]): Generator<Buffer[]> {
  for (const [place, node] of proof.entries())
    for (const at of node.keys()) yield proof.with(place, flipped(node, at))
}
