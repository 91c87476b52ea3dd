test('a test without a sandbox passes', () => {})
