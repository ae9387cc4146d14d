import { Text, Title } from '@mantine/core'

interface SectionTitleProps {
  readonly children: string
  /** What the section is for. */
  readonly hint: string
}

/** The heading of a section of a page, and a sentence about it. */
export function SectionTitle({ children, hint }: SectionTitleProps) {
  return (
    <div>
      <Title order={2}>{children}</Title>
      <Text c="dimmed">{hint}</Text>
    </div>
  )
}
