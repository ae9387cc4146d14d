import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './empty-state.module.css'
import { Icon, type IconName } from './icon.tsx'

interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  /** What will appear here, and the next step. */
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** A list with nothing in it: why, and what to do next. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" className={classes.empty}>
      <span className={classes.icon}>
        <Icon name={icon} size={24} />
      </span>
      <Title order={2}>{title}</Title>
      {children !== undefined && (
        <Text c="dimmed" maw="26rem">
          {children}
        </Text>
      )}
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </Stack>
  )
}
