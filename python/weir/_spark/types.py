# SPDX-License-Identifier: Apache-2.0
"""pyspark.sql.types: data types that know their DDL."""
from __future__ import annotations


class DataType:
    _name = ""

    def simpleString(self) -> str:  # noqa: N802
        return self._name

    def __eq__(self, other):
        return isinstance(other, DataType) and self.simpleString() == other.simpleString()

    def __hash__(self):
        return hash(self.simpleString())


def _simple(class_name: str, spark_name: str) -> type:
    return type(class_name, (DataType,), {"_name": spark_name, "__module__": __name__})


StringType = _simple("StringType", "string")
BinaryType = _simple("BinaryType", "binary")
BooleanType = _simple("BooleanType", "boolean")
ByteType = _simple("ByteType", "tinyint")
ShortType = _simple("ShortType", "smallint")
IntegerType = _simple("IntegerType", "int")
LongType = _simple("LongType", "bigint")
FloatType = _simple("FloatType", "float")
DoubleType = _simple("DoubleType", "double")
DateType = _simple("DateType", "date")
TimestampType = _simple("TimestampType", "timestamp")
TimestampNTZType = _simple("TimestampNTZType", "timestamp_ntz")


class DecimalType(DataType):
    def __init__(self, precision: int = 10, scale: int = 0):
        self.precision = precision
        self.scale = scale

    def simpleString(self) -> str:  # noqa: N802
        return f"decimal({self.precision},{self.scale})"


class ArrayType(DataType):
    def __init__(self, elementType: DataType, containsNull: bool = True):  # noqa: N803
        self.elementType = elementType

    def simpleString(self) -> str:  # noqa: N802
        return f"array<{self.elementType.simpleString()}>"


class MapType(DataType):
    def __init__(self, keyType: DataType, valueType: DataType, valueContainsNull: bool = True):  # noqa: N803
        self.keyType = keyType
        self.valueType = valueType

    def simpleString(self) -> str:  # noqa: N802
        return f"map<{self.keyType.simpleString()},{self.valueType.simpleString()}>"


class StructField:
    def __init__(self, name: str, dataType: DataType, nullable: bool = True, metadata=None):  # noqa: N803
        self.name = name
        self.dataType = dataType
        self.nullable = nullable


class StructType(DataType):
    def __init__(self, fields: list[StructField] | None = None):
        self.fields = list(fields or [])

    def add(self, field, data_type=None, nullable=True, metadata=None) -> StructType:
        self.fields.append(field if isinstance(field, StructField) else StructField(field, data_type, nullable))
        return self

    def simpleString(self) -> str:  # noqa: N802
        return "struct<" + ",".join(f"`{field.name}`:{field.dataType.simpleString()}" for field in self.fields) + ">"

    def to_ddl(self) -> str:
        return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in self.fields)
