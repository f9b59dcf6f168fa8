-- Every version of a product: a change of price or shelf begins a new one, a new stock count does not.
CREATE STREAMING TABLE products
FLOW AUTO CDC
FROM STREAM read_files('events', format => 'csv')
KEYS (sku)
APPLY AS DELETE WHEN op = 'D'
SEQUENCE BY changed_at
COLUMNS * EXCEPT (op, changed_at)
STORED AS SCD TYPE 2
TRACK HISTORY ON * EXCEPT (stock);

-- What was on sale, and at which price, at the end of January.
CREATE MATERIALIZED VIEW prices_end_of_january AS
SELECT sku, price FROM products
WHERE __START_AT <= TIMESTAMP '2024-01-31 23:59:59'
  AND (__END_AT IS NULL OR __END_AT > TIMESTAMP '2024-01-31 23:59:59');
