import { Button, Stack, Text, Title } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import type { PageSection } from '../api/search.ts'
import { useTexts } from '../language/language.tsx'
import classes from './empty-state.module.css'
import { Icon, type IconName } from './icon.tsx'
import { componentTexts } from './texts.ts'

interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  /** What will appear here. */
  readonly children?: ReactNode
  /** The next step: a button or a link. */
  readonly action: ReactNode
}

/** A list with nothing in it: why, and what to do next. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" className={classes.empty} data-empty>
      <span className={classes.icon}>
        <Icon name={icon} size={24} />
      </span>
      <Title order={2}>{title}</Title>
      {children !== undefined && (
        <Text c="dimmed" maw="26rem">
          {children}
        </Text>
      )}
      <div className={classes.action}>{action}</div>
    </Stack>
  )
}

/** The link of an empty list to its next step: `<NextStep to="/agents">See your agents</NextStep>`. */
export const NextStep = createLink(LightButton)

function LightButton(props: Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'style' | 'color'>) {
  return <Button component="a" variant="light" {...props} />
}

interface NothingFoundProps {
  readonly icon: IconName
  readonly children: string
  /** The section of the page that stays shown; absent: the first, or a page without sections. */
  readonly section?: PageSection
}

/** A list in which the filters leave nothing, and the way to all of it. */
export function NothingFound({ icon, children, section }: NothingFoundProps) {
  const t = useTexts(componentTexts)
  const showAll = (
    <NextStep to="." search={section === undefined ? {} : { section }}>
      {t.showAll}
    </NextStep>
  )
  return <EmptyState icon={icon} title={children} action={showAll} />
}
