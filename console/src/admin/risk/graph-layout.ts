/** A payment of the evidence; a side of null is no agent. */
export interface DrawnPayment {
  readonly from_agent_id: string | null
  readonly to_agent_id: string | null
  readonly amount: number
}

/** An agent in the drawing. Its number is its place in the list below the drawing. */
export interface GraphNode {
  readonly id: string
  readonly number: number
  readonly x: number
  readonly y: number
}

/** All payments from one agent to another. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly count: number
  readonly amount: number
  /** An SVG path from the edge of one circle to that of the other. */
  readonly path: string
  readonly labelX: number
  readonly labelY: number
}

export interface Graph {
  /** Where the lowest agent ends, with its name below it. */
  readonly height: number
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export const WIDTH = 360
export const HEIGHT = 300
export const RADIUS = 16
const RING = { x: WIDTH / 2 - 40, y: HEIGHT / 2 - 40 }
/** How far an arrow bends to its left, so that the two directions between two agents do not cover each other. */
const BEND = 22
/** Room for the head of an arrow, and for a name below an agent. */
const HEAD = 7
const NAME = 24

/**
 * Draws agents on a ring in the order in which they are given, or around the first one if all payments are its own. The
 * same payments are drawn in the same way every time.
 */
export function layOut(agentIds: readonly string[], payments: readonly DrawnPayment[]): Graph {
  const pairs = summed(payments)
  const drawn = agentIds.filter(id => pairs.some(({ from, to }) => from === id || to === id))
  const [first] = drawn
  const others = drawn.slice(1)
  const isStar = others.length > 2 && pairs.every(({ from, to }) => from === first || to === first)
  const around = isStar ? others : drawn
  const nodes = drawn.map(id => ({
    id,
    number: agentIds.indexOf(id) + 1,
    ...(isStar && id === first ? { x: WIDTH / 2, y: HEIGHT / 2 } : onRing(around.indexOf(id), around.length)),
  }))
  const placed = new Map(nodes.map(node => [node.id, node]))
  const edges = pairs.flatMap(pair => {
    const [from, to] = [placed.get(pair.from), placed.get(pair.to)]
    return from === undefined || to === undefined ? [] : [{ ...pair, ...curve(from, to) }]
  })
  return { height: Math.max(0, ...nodes.map(({ y }) => y)) + RADIUS + NAME, nodes, edges }
}

type Pair = Pick<GraphEdge, 'from' | 'to' | 'count' | 'amount'>

/** The payments from one agent to another together, in the order of the first of them. In paise, so that sums are exact. */
function summed(payments: readonly DrawnPayment[]): readonly Pair[] {
  const pairs = new Map<string, { from: string; to: string; count: number; paise: number }>()
  for (const { from_agent_id: from, to_agent_id: to, amount } of payments) {
    if (from === null || to === null) continue
    const key = `${from} ${to}`
    const pair = pairs.get(key) ?? { from, to, count: 0, paise: 0 }
    pairs.set(key, { ...pair, count: pair.count + 1, paise: pair.paise + Math.round(amount * 100) })
  }
  return [...pairs.values()].map(({ from, to, count, paise }) => ({ from, to, count, amount: paise / 100 }))
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The first one is at the top, the others follow clockwise. */
function onRing(place: number, count: number): Point {
  const angle = (place / count) * 2 * Math.PI - Math.PI / 2
  return {
    x: tenth(WIDTH / 2 + RING.x * Math.cos(angle)),
    y: tenth(HEIGHT / 2 + RING.y * Math.sin(angle)),
  }
}

function curve(from: Point, to: Point): Pick<GraphEdge, 'path' | 'labelX' | 'labelY'> {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = Math.hypot(dx, dy)
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
  // Perpendicular to the line between the two.
  const bent = { x: middle.x + (dy / length) * BEND * 2, y: middle.y - (dx / length) * BEND * 2 }
  const start = towards(from, bent, RADIUS)
  const end = towards(to, bent, RADIUS + HEAD)
  return {
    path: `M${start.x} ${start.y}Q${tenth(bent.x)} ${tenth(bent.y)} ${end.x} ${end.y}`,
    // The middle of the curve is half way to the point that bends it.
    labelX: tenth((middle.x + bent.x) / 2),
    labelY: tenth((middle.y + bent.y) / 2),
  }
}

function towards(from: Point, to: Point, distance: number): Point {
  const share = distance / Math.hypot(to.x - from.x, to.y - from.y)
  return { x: tenth(from.x + (to.x - from.x) * share), y: tenth(from.y + (to.y - from.y) * share) }
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10
}
