import { NativeSelect, Title } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAgentChoice } from '../agents/use-agent-choice.tsx'
import { CopyIcon } from '../components/copy.tsx'
import { Icon } from '../components/icon.tsx'
import { useTexts } from '../language/language.tsx'
import classes from './parts.module.css'
import { platformTexts } from './texts.ts'

type Page = readonly [to: NonNullable<LinkProps['to']>, name: string]

/** Pages of one subject, each a link. */
function SubPages({ label, pages }: { readonly label: string; readonly pages: readonly Page[] }) {
  return (
    <nav aria-label={label}>
      <ul className={classes.pages}>
        {pages.map(([to, name]) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export function MoneyPages() {
  const t = useTexts(platformTexts)
  return (
    <SubPages
      label={t.payments}
      pages={[
        ['/platform/payments', t.transactions],
        ['/platform/payments/escrows', t.escrows],
        ['/platform/payments/approvals', t.approvals],
      ]}
    />
  )
}

export function WebhookPages() {
  const t = useTexts(platformTexts)
  return (
    <SubPages
      label={t.webhooks}
      pages={[
        ['/platform/webhooks', t.deliveries],
        ['/platform/webhooks/events', t.events],
        ['/platform/webhooks/signature', t.signature],
      ]}
    />
  )
}

/** The way back to a list, with the filters that it had last. */
export function BackTo({ to, children }: { readonly to: Page[0]; readonly children: string }) {
  return (
    <Link to={to} className={classes.back}>
      <Icon name="back" />
      {children}
    </Link>
  )
}

export function Filters({ children }: { readonly children: ReactNode }) {
  return <div className={classes.filters}>{children}</div>
}

interface SelectProps<Value extends string> {
  readonly label: string
  /** What no choice means. */
  readonly all: string
  readonly value: Value | undefined
  readonly options: readonly (readonly [Value, string])[]
  readonly onChange: (value: Value | undefined) => void
}

/** One of many values, or all. */
export function SelectFilter<Value extends string>(props: SelectProps<Value>) {
  const { label, all, value, options, onChange } = props
  const chosen = (written: string) => options.find(([option]) => option === written)?.[0]
  return (
    <NativeSelect
      size="md"
      label={label}
      value={value ?? ''}
      data={[
        { value: '', label: all },
        ...options.map(([option, name]) => ({ value: option as string, label: name })),
      ]}
      onChange={event => onChange(chosen(event.currentTarget.value))}
    />
  )
}

interface AgentFilterProps {
  readonly value: string | undefined
  readonly onChange: (agentId: string | undefined) => void
}

/** The agents of the platform, and the one that the address names. */
export function AgentFilter({ value, onChange }: AgentFilterProps) {
  const t = useTexts(platformTexts)
  const { agents, finder } = useAgentChoice()
  const listed = agents.map(({ agent_id, name, handle }) => [agent_id, `${name} (@${handle})`] as const)
  const isListed = value === undefined || listed.some(([id]) => id === value)
  return (
    <>
      {finder}
      <SelectFilter
        label={t.agent}
        all={t.allAgents}
        value={value}
        options={isListed ? listed : [[value, value], ...listed]}
        onChange={onChange}
      />
    </>
  )
}

interface CodeProps {
  readonly title: string
  readonly text: string
  /** The title is only for screen readers, because what is above says the same. */
  readonly isTitled?: boolean
}

/** A text that a program wrote or reads, which can be copied. */
export function Code({ title, text, isTitled = true }: CodeProps) {
  return (
    <div>
      <div className={classes.heading}>
        {isTitled && <Title order={3}>{title}</Title>}
        <CopyIcon value={text} what={title} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre className={classes.code} tabIndex={0} aria-label={title} role="region">
        {text}
      </pre>
    </div>
  )
}
