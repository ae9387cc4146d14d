/** A Markdown table with aligned columns, the first to the left, the others to the right. */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headers.map((header, column) =>
    Math.max(3, header.length, ...rows.map(row => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => align(cells[column] ?? '', width, column)).join(' | ')} |`
  const ruler = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [line(headers), line(ruler), ...rows.map(line)].join('\n')
}

/** A list of names and values. */
export function facts(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, value]) => `- **${name}**: ${value}`).join('\n')
}

function align(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}
