-- What the source system sends: one JSON object a line, in any order, some of it twice.
CREATE TEMPORARY VIEW customer_events AS
SELECT * FROM STREAM read_files('events', schema => 'id INT, name STRING, city STRING, version BIGINT, op STRING');

-- The newest state of each customer.
CREATE STREAMING TABLE customers COMMENT 'One row a customer';

CREATE FLOW customers_cdc AS AUTO CDC INTO customers
FROM STREAM(customer_events)
KEYS (id)
APPLY AS DELETE WHEN op = 'DELETE'
SEQUENCE BY version
COLUMNS * EXCEPT (op)
STORED AS SCD TYPE 1;

CREATE MATERIALIZED VIEW customers_per_city AS
SELECT city, count(*) AS customers FROM customers GROUP BY city;
