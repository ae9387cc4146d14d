import type { Pagination } from '@batua/sdk'
import { Button, Group, Text } from '@mantine/core'
import { useTexts } from '../language/language.tsx'
import { Icon } from './icon.tsx'
import { componentTexts } from './texts.ts'

interface PagesProps {
  readonly pagination: Pagination
  /** The page puts the offset into its address. */
  readonly onOffset: (offset: number) => void
}

/** Leads through a list by pages; nothing where one page is all. */
export function Pages({ pagination: { total, limit, offset }, onOffset }: PagesProps) {
  const t = useTexts(componentTexts)
  if (total <= limit && offset === 0) return null
  return (
    <Group component="nav" aria-label={t.pages} justify="space-between" mt="md">
      <Button
        variant="default"
        size="sm"
        leftSection={<Icon name="back" size={16} />}
        disabled={offset === 0}
        onClick={() => onOffset(Math.max(0, offset - limit))}
      >
        {t.previous}
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {t.shown(Math.min(offset + 1, total), Math.min(offset + limit, total), total)}
      </Text>
      <Button
        variant="default"
        size="sm"
        rightSection={<Icon name="forward" size={16} />}
        disabled={offset + limit >= total}
        onClick={() => onOffset(offset + limit)}
      >
        {t.next}
      </Button>
    </Group>
  )
}
