import { Title } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useAgentChoice } from '../agents/use-agent-choice.tsx'
import { CopyIcon } from '../components/copy.tsx'
import { SelectFilter } from '../components/filters.tsx'
import { Icon } from '../components/icon.tsx'
import { SubPages } from '../components/sections.tsx'
import { useTexts } from '../language/language.tsx'
import classes from './parts.module.css'
import { platformTexts } from './texts.ts'

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
export function BackTo({
  to,
  children,
}: {
  readonly to: NonNullable<LinkProps['to']>
  readonly children: string
}) {
  return (
    <Link to={to} className={classes.back}>
      <Icon name="back" />
      {children}
    </Link>
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
        {isTitled && (
          <Title order={2} size="h3">
            {title}
          </Title>
        )}
        <CopyIcon value={text} what={title} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre className={classes.code} tabIndex={0} aria-label={title} role="region">
        {text}
      </pre>
    </div>
  )
}
