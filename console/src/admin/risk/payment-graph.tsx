import type { RiskAlertDetails } from '@batua/sdk'
import { useId } from 'react'
import { useFormat, useTexts } from '../../language/language.tsx'
import { type GraphEdge, type GraphNode, layOut, RADIUS, WIDTH } from './graph-layout.ts'
import classes from './risk.module.css'
import { riskTexts } from './texts.ts'

const SHOWN_LETTERS = 14
/** A letter of Hindi is several characters, and so are many emojis. */
const LETTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The payments of the evidence as arrows between agents. Agents have the numbers of the list below. */
export function PaymentGraph({ payments, agents }: Pick<RiskAlertDetails, 'payments' | 'agents'>) {
  const t = useTexts(riskTexts)
  const headId = useId()
  const { height, nodes, edges } = layOut(
    agents.map(({ agent_id }) => agent_id),
    payments,
  )
  if (edges.length === 0) return null
  const names = new Map(agents.map(({ agent_id, name }) => [agent_id, name]))
  return (
    <svg
      className={classes.graph}
      viewBox={`0 0 ${WIDTH} ${height}`}
      role="img"
      aria-label={t.paymentsOf(nodes.length, payments.length)}
    >
      <defs>
        <marker
          id={headId}
          viewBox="0 0 8 8"
          refX="2"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8z" className={classes.head} />
        </marker>
      </defs>
      {edges.map(edge => (
        <path
          key={`${edge.from} ${edge.to}`}
          d={edge.path}
          className={classes.edge}
          markerEnd={`url(#${headId})`}
        />
      ))}
      {nodes.map(node => (
        <Node key={node.id} node={node} name={names.get(node.id) ?? ''} />
      ))}
      {edges.map(edge => (
        <Amount key={`${edge.from} ${edge.to}`} edge={edge} />
      ))}
    </svg>
  )
}

function Node({ node: { x, y, number }, name }: { readonly node: GraphNode; readonly name: string }) {
  const letters = Array.from(LETTERS.segment(name), ({ segment }) => segment)
  const shown = letters.length > SHOWN_LETTERS ? `${letters.slice(0, SHOWN_LETTERS - 1).join('')}…` : name
  return (
    <g>
      <circle cx={x} cy={y} r={RADIUS} className={classes.node} />
      <text x={x} y={y} dy="0.35em" className={classes.number}>
        {number}
      </text>
      <text x={x} y={y + RADIUS + 13} className={classes.label}>
        {shown}
      </text>
    </g>
  )
}

function Amount({ edge: { count, amount, labelX, labelY } }: { readonly edge: GraphEdge }) {
  const t = useTexts(riskTexts)
  const rupees = useFormat().amount(amount)
  return (
    <text x={labelX} y={labelY} dy="0.35em" className={classes.amount}>
      {count === 1 ? rupees : t.times(count, rupees)}
    </text>
  )
}
