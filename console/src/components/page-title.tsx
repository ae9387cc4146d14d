import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface PageTitleProps {
  readonly children: string
  /** Shown in the browser's tab instead, for example with a count. */
  readonly tab?: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** 2 beside a list that has the page's first title. */
  readonly order?: 1 | 2
}

/** The title of a page. After a change of page it has the focus, so a screen reader says where one is. */
export function PageTitle({ children, tab = children, lead, actions, order = 1 }: PageTitleProps) {
  useEffect(() => {
    document.title = `${tab} · Batua`
  }, [tab])
  return (
    <Group justify="space-between" align="start" gap="md" mb="lg">
      <div>
        <Title order={order} size="h1" tabIndex={-1} data-page-title style={{ outline: 'none' }}>
          {children}
        </Title>
        {lead !== undefined && (
          <Text c="dimmed" mt={4}>
            {lead}
          </Text>
        )}
      </div>
      {actions}
    </Group>
  )
}
