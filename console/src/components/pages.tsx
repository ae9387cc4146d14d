import type { Pagination } from '@batua/sdk'
import { Button, Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTexts } from '../language/language.tsx'
import { Icon } from './icon.tsx'
import { Loading } from './loading.tsx'
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

/** The offset of the last page of a list that was read beyond its end; null: it was not, or is no list. */
export function lastOffset(data: unknown): number | null {
  const { pagination }: { readonly pagination?: Pagination } = Object(data)
  if (pagination === undefined || pagination.offset === 0 || pagination.offset < pagination.total) return null
  return Math.floor(Math.max(0, pagination.total - 1) / pagination.limit) * pagination.limit
}

interface ToLastPageProps {
  readonly offset: number
  readonly offsetIn: string
  /** What is being waited for, in words. */
  readonly children: string
}

/** Replaces the address, so that the way back does not lead beyond the end again. */
export function ToLastPage({ offset, offsetIn, children }: ToLastPageProps) {
  const navigate = useNavigate()
  useEffect(() => {
    const search = (now: object) => ({ ...now, [offsetIn]: offset })
    void navigate({ to: '.', search, replace: true, resetScroll: false })
  }, [navigate, offset, offsetIn])
  return <Loading>{children}</Loading>
}
