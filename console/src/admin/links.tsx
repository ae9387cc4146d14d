import { Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from '../components/icon.tsx'
import classes from './admin.module.css'

interface NamedProps {
  readonly id: string
  /** Without a name the id is the text of the link. */
  readonly name?: string | undefined
  readonly detail?: string | undefined
}

export function AgentLink({ id, name, detail }: NamedProps) {
  return (
    <Named detail={detail} isId={name === undefined}>
      <Link to="/admin/agents/$agentId" params={{ agentId: id }}>
        {name ?? id}
      </Link>
    </Named>
  )
}

export function OwnerLink({ id, name, detail }: NamedProps) {
  return (
    <Named detail={detail} isId={name === undefined}>
      <Link to="/admin/owners/$ownerId" params={{ ownerId: id }}>
        {name ?? id}
      </Link>
    </Named>
  )
}

/** A name, and below it what distinguishes it from others. */
export function Named({
  children,
  detail,
  isId = false,
}: {
  readonly children: ReactNode
  readonly detail?: string | undefined
  readonly isId?: boolean
}) {
  return (
    <Stack gap={0}>
      <span className={isId ? classes.id : classes.name}>{children}</span>
      {detail !== undefined && (
        <Text size="sm" c="dimmed">
          {detail}
        </Text>
      )}
    </Stack>
  )
}

interface BackProps {
  readonly to: '/admin/owners' | '/admin/agents' | '/admin/risk' | '/admin/checks/settlements'
  readonly children: string
}

/** Leads back to the list that a page belongs to. */
export function Back({ to, children }: BackProps) {
  return (
    <Link to={to} className={classes.back}>
      <Icon name="back" />
      {children}
    </Link>
  )
}
