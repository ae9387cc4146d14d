import { expect, test } from 'vitest'
import { HEIGHT, layOut, RADIUS, WIDTH } from './graph-layout.ts'

const pay = (from: string | null, to: string | null, amount: number) => ({
  from_agent_id: from,
  to_agent_id: to,
  amount,
})

test('payments between two agents are one arrow with their exact sum, and each direction has its own', () => {
  const { edges } = layOut(['a', 'b'], [pay('a', 'b', 0.1), pay('b', 'a', 5), pay('a', 'b', 0.2)])
  expect(edges.map(({ from, to, count, amount }) => [from, to, count, amount])).toEqual([
    ['a', 'b', 2, 0.3],
    ['b', 'a', 1, 5],
  ])
  const [there, back] = edges
  expect(there?.path).not.toBe(back?.path)
  expect([there?.labelX, there?.labelY]).not.toEqual([back?.labelX, back?.labelY])
})

test('agents lie on a ring in their order, apart from each other and inside the drawing', () => {
  for (let count = 2; count <= 20; count++) {
    const ids = Array.from({ length: count }, (_, index) => `agent ${index}`)
    const ring = ids.map((id, index) => pay(id, ids[(index + 1) % count] ?? '', 10))
    const { nodes, height } = layOut(ids, ring)
    expect(height).toBeLessThanOrEqual(HEIGHT)
    expect(nodes.map(({ id, number }) => [id, number])).toEqual(ids.map((id, index) => [id, index + 1]))
    for (const { x, y } of nodes) {
      expect(x).toBeGreaterThanOrEqual(RADIUS)
      expect(x).toBeLessThanOrEqual(WIDTH - RADIUS)
      expect(y).toBeGreaterThanOrEqual(RADIUS)
      expect(y).toBeLessThanOrEqual(HEIGHT - RADIUS)
    }
    for (const one of nodes) {
      for (const other of nodes) {
        if (one !== other) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(RADIUS * 2)
      }
    }
  }
})

test('an agent that all payments are from or to is in the middle of the others', () => {
  const payees = ['b', 'c', 'd', 'e']
  const { nodes } = layOut(
    ['a', ...payees],
    payees.map(payee => pay('a', payee, 1)),
  )
  expect(nodes[0]).toMatchObject({ id: 'a', x: WIDTH / 2, y: HEIGHT / 2 })
})

test('agents without a payment keep their numbers and are not drawn, and sides that are no agent draw no arrow', () => {
  const graph = layOut(['a', 'b', 'c'], [pay('a', 'c', 1), pay(null, 'a', 2), pay('c', null, 3)])
  expect(graph.nodes.map(({ id, number }) => [id, number])).toEqual([
    ['a', 1],
    ['c', 3],
  ])
  expect(graph.edges).toHaveLength(1)
  expect(layOut(['a'], [])).toMatchObject({ nodes: [], edges: [] })
})
