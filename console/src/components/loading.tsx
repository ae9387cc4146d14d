import { Group, Loader, Text } from '@mantine/core'

/** What is being waited for, in words. */
export function Loading({ children }: { readonly children: string }) {
  return (
    <Group role="status" data-waiting gap="sm" py="xl" justify="center">
      <Loader size="sm" aria-hidden />
      <Text c="dimmed">{children}</Text>
    </Group>
  )
}
